package httplimit_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/httplimit"
	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// impatient sends a request from an address, and hangs up after so long. It reports whether
// there was an answer in time.
func impatient(ctx context.Context, h http.Handler, address, path string, patience time.Duration) bool {
	ctx, hangUp := context.WithCancel(ctx)
	defer hangUp()
	defer time.AfterFunc(patience, hangUp).Stop()
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, path, nil)
	r.RemoteAddr = address + ":1"
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return ctx.Err() == nil && w.Code == http.StatusOK
}

// Where all clients hang up before they are answered, the limit comes down to where they are,
// whether the handler notices or not.
func TestServerComesBackFromHangUps(t *testing.T) {
	rerun.Share(t)
	for _, notices := range []bool{true, false} {
		for _, addresses := range []int{1, 16} {
			synctest.Test(t, func(t *testing.T) {
				s := &httplimit.Server{Queue: -1, Limiter: sweetspot.New(sweetspot.Start(16), sweetspot.Max(16),
					sweetspot.Controller(control.NewOverload(control.NewLatency())))}
				var active, parts atomic.Int64
				parts.Store(4) // of a millisecond that a step takes, for each request that is active
				h := s.Wrap(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
					defer active.Add(-1)
					active.Add(1)
					for range 10 {
						time.Sleep(time.Duration(active.Load()*parts.Load()) * 100 * time.Microsecond)
						if notices && r.Context().Err() != nil {
							return
						}
					}
				}))
				began := time.Now()
				var answered atomic.Int64
				var wg sync.WaitGroup
				for i := range 16 {
					wg.Go(func() {
						for time.Since(began) < 40*time.Second {
							address := fmt.Sprint("192.0.2.", i%addresses)
							if impatient(t.Context(), h, address, "/", 500*time.Millisecond) && time.Since(began) > 20*time.Second {
								answered.Add(1)
							}
							time.Sleep(10 * time.Millisecond)
						}
					})
				}
				time.Sleep(5 * time.Second)
				parts.Store(60) // 16 at a time take 0.96 s, 8 take 0.48
				wg.Wait()
				if answered.Load() < 150 { // of 16 a second
					t.Errorf("%d addresses, noticed %v: %d were answered in 20 s, at a limit of %d", addresses, notices, answered.Load(), s.Limiter.Limit())
				}
			})
		}
	}
}

// Clients that leave in the middle of an answer, as of an endless stream, do not count as overload.
func TestServerLetsClientsLeaveStreams(t *testing.T) {
	rerun.Share(t)
	synctest.Test(t, func(t *testing.T) {
		s := &httplimit.Server{Limiter: standsAt(4)}
		h := s.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusOK)
			<-r.Context().Done()
		}))
		for range 100 {
			impatient(t.Context(), h, "192.0.2.1", "/", time.Second)
		}
		if st := s.Limiter.Stats(); st.Overloads != 0 || st.Ignored != 100 {
			t.Errorf("%d overloads, %d ignored, want 0 and 100", st.Overloads, st.Ignored)
		}
	})
}
