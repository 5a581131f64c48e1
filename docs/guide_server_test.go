package docs_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot"
)

// admitted lets requests in under permits of l, and refuses those that have
// waited too long.
func admitted(l *sweetspot.Limiter, patience time.Duration, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), patience)
		err := l.Acquire(ctx)
		cancel()
		if err != nil {
			w.Header().Set("Retry-After", "1")
			http.Error(w, "too busy", http.StatusServiceUnavailable)
			return
		}
		unit := l.Begin()
		defer unit.End(sweetspot.Done, 1)
		next.ServeHTTP(w, r)
	})
}

func TestAdmitted(t *testing.T) {
	l := sweetspot.New(sweetspot.Fixed(1))
	h := admitted(l, time.Millisecond, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "ok") }))
	get := func() int {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
		return w.Code
	}
	if got := get(); got != http.StatusOK {
		t.Errorf("got %d with a permit free, want 200", got)
	}
	if err := l.Acquire(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := get(); got != http.StatusServiceUnavailable {
		t.Errorf("got %d with none free, want 503", got)
	}
	l.Release()
	if s := l.Stats(); s.InFlight != 0 {
		t.Errorf("%d permits were kept", s.InFlight)
	}
}
