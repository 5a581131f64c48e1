package httplimit_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/httplimit"
)

func ExampleServer() {
	s := &httplimit.Server{
		MaxP99:  300 * time.Millisecond,
		MaxWait: 200 * time.Millisecond,
		Priority: func(r *http.Request) httplimit.Priority {
			switch {
			case r.URL.Path == "/healthz":
				return httplimit.Exempt
			case strings.HasPrefix(r.URL.Path, "/checkout"):
				return httplimit.Critical
			case r.Header.Get("Purpose") == "prefetch":
				return httplimit.Sheddable
			}
			return httplimit.Normal
		},
	}
	h := s.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "hello") }))

	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/checkout/1", nil))
	fmt.Println(w.Code, w.Body, s.Stats().Admitted)
	// Output: 200 hello 1
}

// One at a time, and nobody waits.
func ExampleServer_Wrap() {
	s := &httplimit.Server{Limiter: sweetspot.New(), Queue: -1}
	s.Limiter.SetLimit(1)
	var h http.Handler
	h = s.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		second := httptest.NewRecorder()
		h.ServeHTTP(second, r) // while this one is under way
		fmt.Println(second.Code, second.Header().Get("Retry-After") != "")
	}))
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	// Output: 503 true
}

func ExampleServer_Stats() {
	s := &httplimit.Server{Priority: func(*http.Request) httplimit.Priority { return httplimit.Exempt }}
	h := s.Wrap(http.NotFoundHandler())
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/healthz", nil))
	fmt.Printf("%+v\n", s.Stats())
	// Output: {Admitted:0 Waited:0 Full:0 Late:0 Gone:0 Exempt:1 Waiting:0 Held:0}
}

// The handlers of this server answer 503 only where the database is overloaded.
func ExampleServer_classify() {
	s := &httplimit.Server{Classify: func(_ *http.Request, status int) sweetspot.Outcome {
		if status == http.StatusServiceUnavailable {
			return sweetspot.Overloaded
		}
		return httplimit.StatusOutcome(status)
	}}
	fmt.Println(s.Classify(nil, 503) == sweetspot.Overloaded, s.Classify(nil, 429) == sweetspot.Ignored)
	// Output: true true
}

func ExampleStatusOutcome() {
	for _, status := range []int{200, 404, 429, 500, 503} {
		fmt.Print(status, ":", httplimit.StatusOutcome(status), " ")
	}
	// Output: 200:0 404:0 429:1 500:1 503:1
}
