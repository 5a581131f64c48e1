package httplimit_test

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot/httplimit"
)

const (
	workTakes = 20 * time.Millisecond
	tripTakes = time.Millisecond // between two requests of a client
	length    = 4 * time.Second
)

// others returns how many requests 64 clients have answered by a handler of 20 ms in the
// last half of four seconds of virtual time, while a tenant with so many connections
// gets status at once. It sends as fast as round trips of a millisecond allow.
func others(t *testing.T, s *httplimit.Server, connections, status int) (answered int64) {
	synctest.Test(t, func(t *testing.T) {
		h := s.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/tenant" {
				w.WriteHeader(status)
				return
			}
			time.Sleep(workTakes)
		}))
		ctx, cancel := context.WithTimeout(t.Context(), length)
		defer cancel()
		began := time.Now()
		var n atomic.Int64
		var wg sync.WaitGroup
		client := func(path string) {
			for ctx.Err() == nil {
				if w := request(t.Context(), h, path); path == "/" && w.Code == http.StatusOK && time.Since(began) > length/2 {
					n.Add(1)
				}
				time.Sleep(tripTakes)
			}
		}
		for range 64 {
			wg.Go(func() { client("/") })
		}
		for range connections {
			wg.Go(func() { client("/tenant") })
		}
		wg.Wait()
		answered = n.Load()
	})
	return answered
}

// A tenant over its quota costs the others no more than one that is served as quickly.
func TestServerBearsAHostileTenant(t *testing.T) {
	for _, connections := range []int{4, 64} {
		harmless := others(t, &httplimit.Server{}, connections, http.StatusOK)
		hostile := others(t, &httplimit.Server{}, connections, http.StatusTooManyRequests)
		if float64(hostile) < 0.9*float64(harmless) || harmless < 1000 {
			t.Errorf("%d connections: the others get %d, and %d beside a harmless tenant", connections, hostile, harmless)
		}
	}
}
