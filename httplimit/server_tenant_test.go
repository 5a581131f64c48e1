package httplimit_test

import (
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

const (
	workTakes = 20 * time.Millisecond
	tripTakes = 4 * time.Millisecond // between two requests of a client
	length    = 4 * time.Second
)

// others returns how many requests 32 clients have answered by a handler of 20 ms in the
// last half of four seconds of virtual time, beside a tenant with so many connections, from
// up to 16 addresses. Its requests, to a path such as /5ms, take so long, and are answered
// with a status; it hangs up when it has no more patience. It comes after a second, and sends
// as fast as round trips of four milliseconds allow.
func others(t *testing.T, s *httplimit.Server, connections, status int, path string, patience time.Duration) (answered int64) {
	synctest.Test(t, func(t *testing.T) {
		h := s.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/" {
				time.Sleep(workTakes)
				return
			}
			// A channel of a timer that is due at once crashes the race detector in a bubble.
			if takes, _ := time.ParseDuration(r.URL.Path[1:]); takes > 0 {
				select {
				case <-time.After(takes):
				case <-r.Context().Done():
				}
			}
			w.WriteHeader(status)
		}))
		began := time.Now()
		var n atomic.Int64
		var wg sync.WaitGroup
		client := func(address int, path string, patience time.Duration) {
			for time.Since(began) < length {
				if impatient(t.Context(), h, fmt.Sprint("192.0.2.", address), path, patience) && path == "/" && time.Since(began) > length/2 {
					n.Add(1)
				}
				time.Sleep(tripTakes)
			}
		}
		for i := range 32 {
			wg.Go(func() { client(100+i, "/", time.Hour) })
		}
		for i := range connections {
			wg.Go(func() {
				time.Sleep(length / 4)
				client(i%16, path, patience)
			})
		}
		wg.Wait()
		answered = n.Load()
	})
	return answered
}

// ordinary is the Limiter that a server makes for itself, on a machine with two CPUs.
func ordinary() *sweetspot.Limiter {
	return sweetspot.New(sweetspot.Start(2), sweetspot.Controller(control.NewOverload(control.NewLatency())))
}

// A tenant that hangs up before it can be answered costs the others no more than one that
// is served in that time.
func TestServerBearsATenantThatHangsUp(t *testing.T) {
	rerun.Share(t)
	for _, connections := range []int{4, 64} {
		harmless := others(t, &httplimit.Server{Limiter: ordinary()}, connections, http.StatusOK, "/5ms", time.Hour)
		hostile := others(t, &httplimit.Server{Limiter: ordinary()}, connections, http.StatusOK, "/1h", 5*time.Millisecond)
		if float64(hostile) < 0.9*float64(harmless) || harmless < 500 {
			t.Errorf("%d connections: the others get %d, and %d beside a harmless tenant", connections, hostile, harmless)
		}
	}
}

// A tenant over its quota costs the others no more than one that is served as quickly. Where the
// handler's 503 count as overload, because what it depends on is overloaded, the share that one
// tenant can cause is bounded.
func TestServerBearsAHostileTenant(t *testing.T) {
	rerun.Share(t)
	overloaded := func(_ *http.Request, status int) sweetspot.Outcome {
		if status == http.StatusServiceUnavailable {
			return sweetspot.Overloaded
		}
		return httplimit.StatusOutcome(status)
	}
	for _, connections := range []int{4, 64} {
		harmless := others(t, &httplimit.Server{Limiter: ordinary()}, connections, http.StatusOK, "/0s", time.Hour)
		for status, s := range map[int]*httplimit.Server{
			http.StatusTooManyRequests:    {Limiter: ordinary()},
			http.StatusServiceUnavailable: {Limiter: ordinary(), Classify: overloaded},
		} {
			hostile := others(t, s, connections, status, "/0s", time.Hour)
			if float64(hostile) < 0.9*float64(harmless) || harmless < 500 {
				t.Errorf("%d connections, status %d: the others get %d, and %d beside a harmless tenant", connections, status, hostile, harmless)
			}
		}
	}
}

// What is Overloaded for several peers, or for the only one, counts.
func TestServerCountsWhatSeveralPeersSee(t *testing.T) {
	for name, addresses := range map[string][]string{
		"several": {"192.0.2.1:1", "192.0.2.2:1", "[2001:db8::1]:1"},
		"one":     {"192.0.2.1:1", "192.0.2.1:2"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &httplimit.Server{Limiter: standsAt(4), Classify: func(*http.Request, int) sweetspot.Outcome { return sweetspot.Overloaded }}
			h := s.Wrap(takes(100 * time.Millisecond))
			for i := range 100 {
				r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
				r.RemoteAddr = addresses[i%len(addresses)]
				h.ServeHTTP(httptest.NewRecorder(), r)
			}
			if st := s.Limiter.Stats(); st.Overloads != 100 {
				t.Errorf("%s: %d overloads count, want 100", name, st.Overloads)
			}
		})
	}
}
