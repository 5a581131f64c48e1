package dash_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/dash"
)

func ExampleHandler() {
	fetch := sweetspot.New(sweetspot.Name("fetch"))
	fetch.SetLimit(16)
	mux := http.NewServeMux()
	mux.Handle("/limits/", dash.Handler())

	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequest("GET", "/limits/limiters.json", nil))
	fmt.Println(w.Code, strings.Contains(w.Body.String(), `"name":"fetch","limit":16`))
	fetch.SetLimit(8)
	// Output: 200 true
}

func ExampleControl() {
	fetch := sweetspot.New(sweetspot.Name("ExampleControl"))
	page := dash.Handler(dash.Control("jobs.example.com"))

	r := httptest.NewRequest("POST", "http://jobs.example.com/limit",
		strings.NewReader(`{"limiter": "ExampleControl", "action": "set", "limit": 40}`))
	r.Header.Set("Content-Type", "application/json")
	page.ServeHTTP(httptest.NewRecorder(), r)
	fmt.Println(fetch.Limit())
	// Output: 40
}

func ExamplePage_Record() {
	page := dash.Handler()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	fmt.Println(page.Record(ctx)) // in a program: go page.Record(ctx)
	// Output: context deadline exceeded
}

func ExamplePage_ServeHTTP() {
	w := httptest.NewRecorder()
	dash.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	fmt.Println(w.Code, w.Header().Get("Content-Type"))
	// Output: 200 text/html; charset=utf-8
}
