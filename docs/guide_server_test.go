package docs_test

import (
	"context"
	"database/sql"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot"
	sqllimit "github.com/sweetspot-go/sweetspot/contrib/sql"
	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/dash"
	"github.com/sweetspot-go/sweetspot/httplimit"
)

import _ "github.com/sweetspot-go/sweetspot/dash" // the page is at /debug/sweetspot/

func newServer(handler http.Handler) *http.Server {
	law := control.NewOverload(control.NewLatency())
	front := &httplimit.Server{
		Limiter:  sweetspot.New(sweetspot.Name("http"), sweetspot.Controller(law), sweetspot.MaxP99(300*time.Millisecond), sweetspot.Logger(slog.Default())),
		MaxWait:  200 * time.Millisecond,
		Priority: priority,
	}
	return &http.Server{
		Addr:              ":8080",
		Handler:           front.Wrap(handler),
		ReadHeaderTimeout: 5 * time.Second,
	}
}

func believing(front *httplimit.Server) {
	front.Classify = func(_ *http.Request, status int) sweetspot.Outcome {
		if status == http.StatusServiceUnavailable { // the database refuses
			return sweetspot.Overloaded
		}
		return httplimit.StatusOutcome(status)
	}
}

func priority(r *http.Request) httplimit.Priority {
	switch {
	case r.URL.Path == "/healthz", strings.HasPrefix(r.URL.Path, "/events/"):
		return httplimit.Exempt // health checks, long polls: no permit, and nothing is learnt
	case strings.HasPrefix(r.URL.Path, "/checkout"):
		return httplimit.Critical
	case r.Header.Get("Purpose") == "prefetch":
		return httplimit.Sheddable
	default:
		return httplimit.Normal
	}
}

func openDB(dsn string) (*sql.DB, error) {
	connections := sweetspot.New(sweetspot.Name("orders db"), sweetspot.Max(80))
	return sqllimit.Open("pgx", dsn, connections)
}

func watched() *http.ServeMux {
	mux := http.NewServeMux()
	mux.Handle("/limits/", dash.Handler(dash.Control()))
	return mux
}

func TestServer(t *testing.T) {
	h := newServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "ok") })).Handler
	for _, path := range []string{"/", "/healthz", "/checkout/1", "/events/1"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		if w.Code != http.StatusOK || w.Body.String() != "ok" {
			t.Errorf("%s: got %d %q, want 200", path, w.Code, w.Body)
		}
	}
}

func TestPriority(t *testing.T) {
	prefetch := httptest.NewRequest(http.MethodGet, "/", nil)
	prefetch.Header.Set("Purpose", "prefetch")
	for r, want := range map[*http.Request]httplimit.Priority{
		httptest.NewRequest(http.MethodGet, "/healthz", nil):   httplimit.Exempt,
		httptest.NewRequest(http.MethodGet, "/events/7", nil):  httplimit.Exempt,
		httptest.NewRequest(http.MethodPost, "/checkout", nil): httplimit.Critical,
		httptest.NewRequest(http.MethodGet, "/list", nil):      httplimit.Normal,
		prefetch: httplimit.Sheddable,
	} {
		if got := priority(r); got != want {
			t.Errorf("%s: got %d, want %d", r.URL, got, want)
		}
	}
}

func TestClassify(t *testing.T) {
	front := new(httplimit.Server)
	believing(front)
	for status, want := range map[int]sweetspot.Outcome{200: sweetspot.Done, 429: sweetspot.Ignored, 503: sweetspot.Overloaded} {
		if got := front.Classify(nil, status); got != want {
			t.Errorf("%d: got %d, want %d", status, got, want)
		}
	}
}

// No driver for PostgreSQL is part of this module.
func TestOpenDB(t *testing.T) {
	if _, err := openDB("host=db.example"); err == nil || !strings.Contains(err.Error(), "unknown driver") {
		t.Errorf("got %v, want an unknown driver", err)
	}
}

func TestWatched(t *testing.T) {
	for path, mux := range map[string]http.Handler{"/limits/": watched(), "/debug/sweetspot/": http.DefaultServeMux} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, path, nil)
		r.Host = "localhost"
		mux.ServeHTTP(w, r)
		if w.Code != http.StatusOK || !strings.Contains(w.Header().Get("Content-Type"), "text/html") {
			t.Errorf("%s: got %d %s, want a page", path, w.Code, w.Header().Get("Content-Type"))
		}
	}
}
