package httplimit_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot/httplimit"
)

// A crowd is clients that ask again at once, whatever the answer was.
type crowd struct {
	clients int
	refused int
	took    []time.Duration // those that were answered
}

// ask sends requests to h for that long. Each takes the network 50 µs.
func (c *crowd) ask(h http.Handler, d time.Duration) {
	c.refused, c.took = 0, nil
	var wg sync.WaitGroup
	var mu sync.Mutex
	end := time.Now().Add(d)
	for range c.clients {
		wg.Go(func() {
			for time.Now().Before(end) {
				time.Sleep(50 * time.Microsecond)
				began := time.Now()
				w := request(context.Background(), h, "/")
				mu.Lock()
				if w.Code == http.StatusOK {
					c.took = append(c.took, time.Since(began))
				} else {
					c.refused++
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	slices.Sort(c.took)
}

// Clients for which the queue has room do not count as an overload, however soon they ask again,
// even after a limit that was too low for them.
func TestServerHardlyRefusesFewClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &httplimit.Server{Limiter: standsAt(9)}
		h := s.Wrap(takes(9 * time.Millisecond))
		c := crowd{clients: 16}
		for range 2 {
			c.ask(h, 2*time.Second)
			if len(c.took) < 1900 || c.refused > 20 {
				t.Errorf("%d answers, %d refusals, want 2000 and hardly any", len(c.took), c.refused)
			}
			s.Limiter.SetLimit(2)
			c.ask(h, time.Second)
			s.Limiter.SetLimit(9)
			c.ask(h, time.Second)
		}
	})
}

// Many clients that ask again at once are refused at a pace that costs little, and those
// that are admitted are answered in time.
func TestServerHoldsRefusals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &httplimit.Server{Limiter: standsAt(9)}
		h := s.Wrap(takes(9 * time.Millisecond))
		c := crowd{clients: 600}
		c.ask(h, 3*time.Second)
		most := (250*runtime.GOMAXPROCS(0)*11/10+600)*4 + 600
		if len(c.took) < 2800 || c.refused > most {
			t.Errorf("%d answers, %d refusals, want 3000 and at most %d", len(c.took), c.refused, most)
		}
		if p99 := c.took[len(c.took)*99/100]; p99 > 100*time.Millisecond {
			t.Errorf("99 in 100 are answered within %v, want 100 ms", p99)
		}
		if st := s.Stats(); st.Held != 0 || st.Waiting != 0 {
			t.Errorf("at the end %+v", st)
		}
	})
}

// A request that finds a permit which was offered to one that is held has not found a free
// one: the queue is one that overload keeps full.
func TestServerOvertakingIsNoFreePermit(t *testing.T) {
	for _, offered := range []int64{0, 1} {
		synctest.Test(t, func(t *testing.T) {
			s := &httplimit.Server{Limiter: standsAt(4)}
			h := s.Wrap(takes(10 * time.Millisecond))
			s.Offer(offered)
			for range 10 {
				for range 13 { // 4 find a permit, and one more than may wait finds none
					go request(t.Context(), h, "/")
					synctest.Wait()
				}
				time.Sleep(50 * time.Millisecond)
			}
			if s.Standing() != (offered > 0) {
				t.Errorf("with %d permits offered standing is %v", offered, s.Standing())
			}
			time.Sleep(2 * time.Second) // all have ended
		})
	}
}

// A raised limit admits those that are held, not one for each request that ends.
func TestServerHeldFillARaisedLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &httplimit.Server{Limiter: standsAt(1), Queue: -1, Hold: time.Minute}
		h := s.Wrap(takes(time.Second))
		var wg sync.WaitGroup
		ask := func() { wg.Go(func() { request(t.Context(), h, "/") }) }
		for range 500 * runtime.GOMAXPROCS(0) {
			ask()
		}
		time.Sleep(950 * time.Millisecond)
		for range 9 {
			ask() // are the newest
		}
		synctest.Wait()
		s.Limiter.SetLimit(5)
		time.Sleep(60 * time.Millisecond) // one has ended, and the held are still fresh
		if st := s.Limiter.Stats(); st.InFlight != 5 {
			t.Errorf("%d run, want 5", st.InFlight)
		}
		wg.Wait()
	})
}

// A response that gives its permit back before its handler returns leaves it to a request that
// is held.
func TestServerEarlyReturnAdmitsTheHeld(t *testing.T) {
	for name, begin := range map[string]func(http.ResponseWriter){
		"event stream": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/event-stream")
			w.(http.Flusher).Flush()
		},
		"101": func(w http.ResponseWriter) { w.WriteHeader(http.StatusSwitchingProtocols) },
	} {
		synctest.Test(t, func(t *testing.T) {
			ready, end := make(chan struct{}), make(chan struct{})
			s := &httplimit.Server{Limiter: standsAt(1), Queue: -1, Hold: time.Minute}
			h := s.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/stream" {
					<-ready
					begin(w)
					<-end
				}
			}))
			go request(t.Context(), h, "/stream")
			synctest.Wait()
			for s.Held() == 0 {
				go request(t.Context(), h, "/")
				synctest.Wait()
			}
			close(ready)
			synctest.Wait()
			if st := s.Stats(); st.Held != 0 || st.Admitted != 2 {
				t.Errorf("%s: %d are held and %d admitted beside a stream without a permit, want 0 and 2", name, st.Held, st.Admitted)
			}
			close(end)
		})
	}
}

// Permits that come free at a time admit as many held requests, also where one of these comes
// for its permit as the next comes free.
func TestServerPermitsThatComeFreeTogetherAdmitTheHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit, rounds = 4, 5000
		end := make(chan struct{})
		s := &httplimit.Server{Limiter: standsAt(limit), Queue: -1, Hold: time.Minute}
		h := s.Wrap(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-end }))
		lost := 0
		for range rounds {
			for s.Held() < limit {
				go request(t.Context(), h, "/")
				synctest.Wait()
			}
			for range s.Limiter.Stats().InFlight {
				end <- struct{}{}
			}
			synctest.Wait()
			if s.Limiter.Stats().InFlight < limit {
				lost++
			}
		}
		if lost > 0 {
			t.Errorf("in %d of %d rounds a request was held though a permit was free", lost, rounds)
		}
		close(end)
	})
}

// refuses is a Server without a permit, that has refused all that it may at once.
func refuses(hold time.Duration) (*httplimit.Server, http.Handler) {
	s := &httplimit.Server{Limiter: standsAt(1), Queue: -1, Hold: hold}
	h := s.Wrap(takes(0))
	s.Limiter.TryAcquire()
	for s.Held() == 0 && hold >= 0 {
		go request(context.Background(), h, "/")
		synctest.Wait()
	}
	return s, h
}

// A refusal is held for Hold at most, and no longer than its client is there.
func TestServerHoldEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, h := refuses(300 * time.Millisecond)
		began := time.Now()
		var wg sync.WaitGroup
		for range 100 * runtime.GOMAXPROCS(0) {
			wg.Go(func() { request(t.Context(), h, "/") })
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		request(ctx, h, "/")
		if took := time.Since(began); took > time.Millisecond {
			t.Errorf("held for %v after its client has gone", took)
		}
		wg.Wait()
		if took := time.Since(began); took != 300*time.Millisecond || s.Held() != 0 {
			t.Errorf("%d are held after %v, want none after 300 ms", s.Held(), took)
		}
		s.Limiter.Release()
	})
}

// No more are held than memory allows, and nothing where it would hold up others, or is not
// wanted.
func TestServerHoldsNotAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, h := refuses(time.Hour)
		var wg sync.WaitGroup
		ctx, cancel := context.WithCancel(t.Context())
		for range httplimit.MostHeld + 100 {
			wg.Go(func() { request(ctx, h, "/") })
		}
		synctest.Wait()
		if s.Held() != httplimit.MostHeld {
			t.Errorf("%d are held, want %d", s.Held(), httplimit.MostHeld)
		}
		cancel()
		wg.Wait()
		began := time.Now()
		for range 1000 {
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.ProtoMajor = 2
			h.ServeHTTP(httptest.NewRecorder(), r)
		}
		s.Limiter.Release()
		time.Sleep(time.Hour) // the one that refuses left
		began = began.Add(time.Hour)
		s, h = refuses(-1)
		for range 10_000 {
			request(t.Context(), h, "/")
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("held for %v", took)
		}
		s.Limiter.Release()
	})
}
