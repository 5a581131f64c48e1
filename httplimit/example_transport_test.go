package httplimit_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/httplimit"
)

func ExampleTransport() {
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "you asked for ", r.URL.Path)
	}))
	defer api.Close()

	client := &http.Client{Transport: &httplimit.Transport{Retries: 3}}
	defer client.CloseIdleConnections()

	// Any number of goroutines may ask: as many requests as do well are sent at a
	// time, the others wait for their turn.
	resp, err := client.Get(api.URL + "/a")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	page, err := io.ReadAll(resp.Body)
	fmt.Println(string(page), err)
	// Output: you asked for /a <nil>
}

func ExampleResponseOutcome() {
	t := &httplimit.Transport{
		// This API says 403 to what is too much.
		Classify: func(resp *http.Response, err error) sweetspot.Outcome {
			if err == nil && resp.StatusCode == http.StatusForbidden && resp.Header.Get("X-RateLimit-Remaining") == "0" {
				return sweetspot.Overloaded
			}
			return httplimit.ResponseOutcome(resp, err)
		},
	}
	resp := &http.Response{StatusCode: http.StatusForbidden, Header: http.Header{}}
	resp.Header.Set("X-RateLimit-Remaining", "0")
	fmt.Println(t.Classify(resp, nil) == sweetspot.Overloaded)
	// Output: true
}

// What is refused is sent again, as often as Retries says.
func ExampleTransport_RoundTrip() {
	requests := 0
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if requests++; requests == 1 {
			w.WriteHeader(http.StatusTooManyRequests)
		}
	}))
	defer api.Close()

	t := &httplimit.Transport{Retries: 3}
	defer t.CloseIdleConnections()
	req, err := http.NewRequest(http.MethodGet, api.URL, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	resp, err := t.RoundTrip(req) // an http.Client calls it
	if err != nil {
		fmt.Println(err)
		return
	}
	resp.Body.Close() // gives the permit back
	fmt.Println(resp.Status, "after", requests, "requests")
	// Output: 200 OK after 2 requests
}

// Nothing is asked for the night. What was learnt about the host stays.
func ExampleTransport_CloseIdleConnections() {
	api := httptest.NewServer(http.NotFoundHandler())
	defer api.Close()
	t := &httplimit.Transport{Base: &http.Transport{MaxIdleConnsPerHost: 100}}
	client := &http.Client{Transport: t}
	resp, err := client.Get(api.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	resp.Body.Close()
	t.CloseIdleConnections()
	fmt.Println(t.Limiter(resp.Request.URL.Host).Stats().Completed, "answered")
	// Output: 1 answered
}

func ExampleTransport_Limiter() {
	api := httptest.NewServer(http.NotFoundHandler())
	defer api.Close()
	t := &httplimit.Transport{
		NewLimiter: func(host string) *sweetspot.Limiter {
			return sweetspot.New(sweetspot.Name("api "+host), sweetspot.Max(100))
		},
	}
	client := &http.Client{Transport: t}
	defer client.CloseIdleConnections()
	resp, err := client.Get(api.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	resp.Body.Close()
	l := t.Limiter(resp.Request.URL.Host)
	fmt.Println(l.Stats().Completed, "answered")
	// Output: 1 answered
}
