package loop

import (
	"sync"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
)

// residence sums up the time in flight of timed units.
type residence struct {
	mu      sync.Mutex
	changed time.Duration // when the limit last changed
	resumed time.Duration // when the process last went on after a standstill
	residenceSums
	latencies *control.Histogram // of all that are summed up; nil unless the controller reads it
	lateAfter float64            // s, if there are latencies
}

// residenceSums have the shape that a Reading wants.
type residenceSums struct {
	timed          int64
	residence      float64
	residence2     float64
	timedSince     int64
	residenceSince float64
	late           int64
}

func (g *residence) add(began, ended time.Duration) {
	r := (ended - began).Seconds()
	g.mu.Lock()
	defer g.mu.Unlock()
	if began < g.resumed && g.resumed <= ended {
		return // without the standstill it would have taken less, by an unknown time
	}
	g.timed++
	g.residence += r
	g.residence2 += r * r
	if began >= g.changed {
		g.timedSince++
		g.residenceSince += r
	}
	if g.latencies != nil {
		g.latencies.Add(r)
		if r > g.lateAfter {
			g.late++
		}
	}
}

func (g *residence) stoodStill(until time.Duration) {
	g.mu.Lock()
	g.resumed = until
	g.mu.Unlock()
}

func (g *residence) limitChanged(at time.Duration) {
	g.mu.Lock()
	g.changed, g.timedSince, g.residenceSince = at, 0, 0
	g.mu.Unlock()
}

// read returns the sums, and copies the histogram if there is one.
func (g *residence) read(latencies *control.Histogram) residenceSums {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.latencies != nil {
		*latencies = *g.latencies
	}
	return g.residenceSums
}
