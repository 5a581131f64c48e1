package client

import (
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/sweetspot-go/sweetspot/bench/internal/stats"
)

// A scene is a service and those who ask it.
type scene struct {
	about   string
	workers int
	fixed   []int
	length  time.Duration
	service func() (http.Handler, func()) // a new one, and what ends it
}

// scenes are what the suite measures.
func scenes() []scene {
	slots := []int{18, 20, 22}
	moving := []int{10, 20}
	own := []int{9, 10, 11, 12}
	return []scene{
		{"20 slots, no Retry-After", 50, slots, 20 * time.Second, slotted(20, 0, 0, 0)},
		{"20 slots, Retry-After 1", 50, slots, 20 * time.Second, slotted(20, 1, 0, 0)},
		{"20 slots, Retry-After 2", 50, slots, 20 * time.Second, slotted(20, 2, 0, 0)},
		{"12 slots, Retry-After 1, 200 callers", 200, []int{11, 12, 13}, 20 * time.Second, slotted(12, 1, 0, 0)},
		{"20, 10, 20 … slots, each for 20 s, Retry-After 1", 50, moving, 60 * time.Second, slotted(20, 1, 10, 20*time.Second)},
		{"20, 10, 20 … slots, each for 20 s, Retry-After 2", 50, moving, 60 * time.Second, slotted(20, 2, 10, 20*time.Second)},
		{"`httplimit.Server`, 10 slots of 100 ms, 50 callers", 50, own, 60 * time.Second, owned},
		{"`httplimit.Server`, 10 slots of 100 ms, 200 callers", 200, own, 60 * time.Second, owned},
	}
}

// slotted returns a service of an api whose capacity changes with another at each period,
// if there is one.
func slotted(capacity, retryAfter, other int, period time.Duration) func() (http.Handler, func()) {
	return func() (http.Handler, func()) {
		a := &api{service: 20 * time.Millisecond, spread: 0.3, retryAfter: retryAfter}
		a.capacity.Store(int64(capacity))
		if period == 0 {
			return a, func() {}
		}
		over := make(chan struct{})
		var wg sync.WaitGroup
		wg.Go(func() {
			tick := time.NewTicker(period)
			defer tick.Stop()
			for {
				select {
				case <-tick.C:
					a.capacity.Store(int64(capacity+other) - a.capacity.Load())
				case <-over:
					return
				}
			}
		})
		return a, func() { close(over); wg.Wait() }
	}
}

func owned() (http.Handler, func()) {
	return ownServer(10, 100*time.Millisecond, 0.3), func() {}
}

// suite runs the scenes for so many rounds, and prints a table of medians.
func suite(rounds int, all []scene) {
	fmt.Println("| | best fixed | its answers/s | ours | ours, after 5 s | refused after 5 s | mean limit after 5 s |")
	fmt.Println("|---|--:|--:|--:|--:|--:|--:|")
	for _, s := range all {
		fmt.Println(s.line(rounds))
	}
}

// line runs s and returns its line of the table.
func (s scene) line(rounds int) string {
	var best, rate, ratio, late, refused, limit []float64
	for range rounds {
		// At the same time, so that all have the same machine.
		fixed := make([]result, len(s.fixed))
		var ours result
		var wg sync.WaitGroup
		wg.Go(func() { ours = s.run(0, s.length) })
		for i, n := range s.fixed {
			wg.Go(func() { fixed[i] = s.run(n, s.length) })
		}
		wg.Wait()
		sweep := make(map[int]result)
		for i, n := range s.fixed {
			sweep[n] = fixed[i]
		}
		n := bestOf(s.fixed, sweep)
		r := sweep[n]
		best, rate = append(best, float64(n)), append(rate, r.rate)
		ratio, late = append(ratio, ours.rate/r.rate), append(late, ours.rateWarm/r.rateWarm)
		refused, limit = append(refused, ours.refusedWarm), append(limit, ours.limit)
	}
	return fmt.Sprintf("| %s | %.0f | %.0f | %.3f | %.3f | %.2f %% | %.0f |", s.about, stats.Median(best), stats.Median(rate), stats.Median(ratio), stats.Median(late), 100*stats.Median(refused), stats.Median(limit))
}
