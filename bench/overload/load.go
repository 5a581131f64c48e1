package main

import (
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"
)

// deadline of each request: that of a patient client.
const deadline = 5 * time.Second

// A response is what became of a request.
type response struct {
	at     time.Duration // when it was sent
	took   time.Duration
	status int // 0: none
}

// A load sends requests at a rate, whatever becomes of them.
type load struct {
	client *http.Client
	url    string

	mu  sync.Mutex
	all []response
}

// newLoad returns a load on a server. It keeps as many connections as it needs.
func newLoad(url string) *load {
	return &load{url: url, client: &http.Client{Timeout: deadline, Transport: &http.Transport{MaxIdleConnsPerHost: 10_000}}}
}

// send sends requests for a time and returns what became of them, in the order in
// which they were sent. The times between them are drawn from seed.
func (l *load) send(ctx context.Context, rate float64, d time.Duration, seed uint64) []response {
	l.all = nil
	dice := rand.New(rand.NewPCG(seed, 3))
	var wg sync.WaitGroup
	began := time.Now()
	for at := time.Duration(0); ctx.Err() == nil; {
		at += time.Duration(dice.ExpFloat64() / rate * float64(time.Second))
		if at >= d {
			break
		}
		time.Sleep(time.Until(began.Add(at)))
		wg.Go(func() { l.one(began) })
	}
	time.Sleep(time.Until(began.Add(d)))
	wg.Wait()
	slices.SortFunc(l.all, func(a, b response) int { return int(a.at - b.at) })
	return l.all
}

func (l *load) one(began time.Time) {
	r := response{at: time.Since(began)}
	if resp, err := l.client.Get(l.url); err == nil {
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		r.status = resp.StatusCode
	}
	r.took = time.Since(began) - r.at
	l.mu.Lock()
	l.all = append(l.all, r)
	l.mu.Unlock()
}
