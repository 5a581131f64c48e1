package main_test

import (
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	real "github.com/sweetspot-go/sweetspot/bench/real"
)

// served returns the requests per second that the server achieves with so many
// clients, each of which asks again at once.
func served(t *testing.T, clients int) (rate float64) {
	synctest.Test(t, func(t *testing.T) {
		s := real.Crowded()
		began, count := time.Now(), 0
		var mu sync.Mutex
		var all sync.WaitGroup
		for range clients {
			all.Go(func() {
				for time.Since(began) < 10*time.Second {
					w := httptest.NewRecorder()
					s.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/", nil))
					if w.Code != 200 || w.Body.String() != "ok\n" {
						t.Errorf("answer %d %q", w.Code, w.Body)
					}
					mu.Lock()
					count++
					mu.Unlock()
				}
			})
		}
		all.Wait()
		rate = float64(count) / time.Since(began).Seconds()
	})
	return rate
}

// 24 places of 30 ms give 800 a second, from 24 clients to 96; with 192 the
// service takes twice as long.
func TestServerHasAKnee(t *testing.T) {
	for _, c := range []struct {
		clients   int
		low, high float64
	}{
		{6, 195, 205},
		{24, 780, 805},
		{96, 780, 805},
		{192, 380, 410},
	} {
		if x := served(t, c.clients); x < c.low || x > c.high {
			t.Errorf("%d clients: %.0f/s, want %.0f to %.0f", c.clients, x, c.low, c.high)
		}
	}
}
