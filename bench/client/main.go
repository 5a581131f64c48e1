package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sweetspot-go/sweetspot/bench/internal/program"
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
}

func main() { program.Main("client", play) }

func play(_ context.Context, args []string) error {
	f := program.NewFlags("client", "Measures a client of services that answer 429 to what is too much at once.", "service", scenes(),
		func(s scene) (name, about string) { return s.name, s.about }, os.Stderr)
	rounds := f.Int("rounds", 3, "`number` of rounds")
	chosen, err := f.Parse(args)
	if err != nil {
		return err
	}
	if *rounds < 1 {
		return fmt.Errorf("-rounds %d: want 1 or more", *rounds)
	}
	suite(*rounds, chosen)
	return nil
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

// loopback connects to a handler by a server on the loopback interface.
func loopback(h http.Handler, workers int) (base http.RoundTripper, url string, over func()) {
	server := httptest.NewServer(h)
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = workers
	return t, server.URL, func() {
		t.CloseIdleConnections()
		server.Close()
	}
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
	base, url, over := s.connect(h, s.workers)
	defer over()
	client := &http.Client{Transport: plain{base, make(chan struct{}, fixed)}}
	if fixed == 0 {
		client.Transport = &httplimit.Transport{Base: base}
	}
	var all, early tally
	began := time.Now()
	var wg sync.WaitGroup
	for range s.workers {
		wg.Go(func() {
			for time.Since(began) < d {
				at := time.Since(began)
				t := &all
				if at < warm {
					t = &early
				}
				t.count(client, url, func() bool { return time.Since(began) < d })
			}
		})
	}
	wg.Wait()
	late := d - min(d, warm)
	done, refused := float64(all.done.Load()), float64(all.refused.Load())
	r := result{rateWarm: done / late.Seconds(), refusedWarm: refused / max(1, done+refused), failed: all.failed.Load() + early.failed.Load()}
	done, refused = done+float64(early.done.Load()), refused+float64(early.refused.Load())
	r.rate, r.refused = done/d.Seconds(), refused/max(1, done+refused)
	if late == 0 {
		r.rateWarm, r.refusedWarm = r.rate, r.refused
	}
	return r
}

// count sends one request and counts what became of it, if that was in time.
func (t *tally) count(client *http.Client, url string, inTime func() bool) {
	resp, err := client.Get(url)
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
