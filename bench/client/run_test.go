package client

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sweetspot-go/sweetspot/httplimit"
)

// warm is what the bar leaves out of the refusals: the search begins without
// any knowledge.
const warm = 5 * time.Second

// A tally counts what became of requests.
type tally struct{ done, refused, failed atomic.Int64 }

// A result is what a run brought.
type result struct {
	rate        float64 // answers a second, the search included
	rateWarm    float64 // after warm
	refused     float64 // share of the requests
	refusedWarm float64 // after warm, if it took longer
	failed      int64
	limit       float64 // of our Transport, mean after warm
}

// mostRefused is the share of the requests that may be refused to a client that
// behaves. Who asks on and on gets as much out of an API, and hammers it: then it is
// the CPUs that decide, and those of the other client in the same run as well.
const mostRefused = 0.02

// bestOf returns the number with the most answers, of those that behave if any does.
func bestOf(numbers []int, sweep map[int]result) int {
	behaves := func(n int) bool { return sweep[n].refusedWarm <= mostRefused }
	best := numbers[0]
	for _, n := range numbers {
		if behaves(n) == behaves(best) && sweep[n].rate > sweep[best].rate || behaves(n) && !behaves(best) {
			best = n
		}
	}
	return best
}

// trip is what a request takes on its way in each direction.
const trip = 150 * time.Microsecond

// A caller asks a handler by a function call.
type caller struct{ h http.Handler }

func (c caller) RoundTrip(r *http.Request) (*http.Response, error) {
	time.Sleep(trip)
	w := httptest.NewRecorder()
	c.h.ServeHTTP(w, r)
	time.Sleep(trip)
	return w.Result(), nil
}

// askAgain is when a worker with a fixed number that is refused asks again.
const askAgain = 20 * time.Millisecond

// plain lets so many requests be sent at a time, whatever is said of when to ask again.
type plain struct {
	http.RoundTripper
	permits chan struct{}
}

func (p plain) RoundTrip(req *http.Request) (*http.Response, error) {
	p.permits <- struct{}{}
	resp, err := p.RoundTripper.RoundTrip(req)
	<-p.permits
	if err == nil && resp.StatusCode != http.StatusOK {
		time.Sleep(askAgain)
	}
	return resp, err
}

// run lets the workers ask for d, so many at a time, or as many as our Transport finds if
// that is 0.
func (s scene) run(fixed int, d time.Duration) result {
	h, end := s.service()
	defer end()
	base := caller{h}
	client := &http.Client{Transport: plain{base, make(chan struct{}, fixed)}}
	var all, early tally
	began := time.Now()
	var wg sync.WaitGroup
	var limits, looks float64
	if fixed == 0 {
		t := &httplimit.Transport{Base: base}
		client.Transport = t
		wg.Go(func() {
			for time.Sleep(min(warm, d)); time.Since(began) < d; time.Sleep(20 * time.Millisecond) {
				limits, looks = limits+float64(t.Limiter("host").Limit()), looks+1
			}
		})
	}
	for range s.workers {
		wg.Go(func() {
			for time.Since(began) < d {
				at := time.Since(began)
				t := &all
				if at < warm {
					t = &early
				}
				t.count(client, func() bool { return time.Since(began) < d })
			}
		})
	}
	wg.Wait()
	late := d - min(d, warm)
	done, refused := float64(all.done.Load()), float64(all.refused.Load())
	r := result{rateWarm: done / late.Seconds(), refusedWarm: refused / max(1, done+refused), failed: all.failed.Load() + early.failed.Load()}
	done, refused = done+float64(early.done.Load()), refused+float64(early.refused.Load())
	r.rate, r.refused = done/d.Seconds(), refused/max(1, done+refused)
	r.limit = limits / max(1, looks)
	if late == 0 {
		r.rateWarm, r.refusedWarm = r.rate, r.refused
	}
	return r
}

// count sends one request and counts what became of it, if that was in time.
func (t *tally) count(client *http.Client, inTime func() bool) {
	resp, err := client.Get("http://host/")
	if err != nil {
		t.failed.Add(1)
		return
	}
	io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	if !inTime() {
		return
	}
	switch resp.StatusCode {
	case http.StatusOK:
		t.done.Add(1)
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		t.refused.Add(1)
	default:
		t.failed.Add(1)
	}
}
