package main

import (
	"fmt"
	"os"
	"time"

	"github.com/sweetspot-go/sweetspot/bench/internal/score"
)

// A follower watches the limit of a gate, and tells the decisions on it.
type follower struct {
	g      gate
	tell   bool
	began  time.Time
	points []score.Point
	told   []change
	newest time.Duration // of the decisions told
	quit   chan struct{}
	ended  chan struct{}
}

// followEvery is short beside the second or more that a limit stands, and long
// beside the few microseconds that a look takes.
const followEvery = 50 * time.Millisecond

func newFollower(g gate, t task) *follower {
	f := &follower{
		g: g, tell: t.Verbose && t.Fixed == 0, began: time.Now(), newest: -1,
		quit: make(chan struct{}), ended: make(chan struct{}),
	}
	go f.loop()
	return f
}

func (f *follower) loop() {
	defer close(f.ended)
	t := time.NewTicker(followEvery)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			f.look()
		case <-f.quit:
			f.look()
			return
		}
	}
}

func (f *follower) look() {
	f.points = append(f.points, score.Point{At: time.Since(f.began).Seconds(), Limit: f.g.limit()})
	newest := f.newest
	for _, c := range f.g.changes() {
		if c.At <= newest { // decisions of one instant are listed at once
			continue
		}
		f.newest = c.At
		ch := change{c.At.Seconds(), c.From, c.To, c.Reason.String()}
		f.told = append(f.told, ch)
		if f.tell {
			fmt.Fprintln(os.Stderr, ch)
		}
	}
}

// close ends the watch.
func (f *follower) close() {
	close(f.quit)
	<-f.ended
}

// fill enters what was seen.
func (f *follower) fill(r *result) {
	r.Limit = score.Mean(f.points, 0, r.Seconds)
	r.LastThird = score.LastThird(f.points, r.Seconds)
	r.Changes = f.told
}
