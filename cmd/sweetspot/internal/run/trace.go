package run

import (
	"time"

	"github.com/sweetspot-go/sweetspot"
)

// A point is one entry of the trace.
type point struct {
	At       float64 `json:"at"`        // s since the start; the end of the stretch described
	Limit    int     `json:"limit"`     // at At
	InFlight int     `json:"in_flight"` // at At
	Rate     float64 `json:"rate"`      // jobs ended per second
	CPU      float64 `json:"cpu"`       // CPUs that the jobs kept busy
}

const (
	sampleEvery = 100 * time.Millisecond
	// tracePoints bounds the trace, however long the run: when it is full,
	// neighbours are merged and each point covers twice the time. So a trace has
	// 512 to 1,023 points once a run has taken a minute.
	tracePoints = 1024
)

// A trace follows a run. It is used by one goroutine at a time.
type trace struct {
	points []point
	merge  int // samples per point
	n      int // samples in the point being built
	sum    point

	last      float64 // s, of the newest sample
	done      int64
	limitTime float64 // ∫ limit dt
	max       int
}

func newTrace() *trace { return &trace{merge: 1} }

// sample takes in what holds at a time since the start of the run.
func (t *trace) sample(at time.Duration, done int64, s sweetspot.Stats) {
	now := at.Seconds()
	dt := now - t.last
	if dt <= 0 {
		return
	}
	rate := float64(done-t.done) / dt
	t.limitTime += float64(s.Limit) * dt
	t.max = max(t.max, s.Limit)
	t.last, t.done = now, done

	t.n++
	t.sum.Rate += rate
	t.sum.CPU += s.OwnCPU
	if t.n < t.merge {
		return
	}
	t.points = append(t.points, point{
		At: now, Limit: s.Limit, InFlight: s.InFlight,
		Rate: t.sum.Rate / float64(t.n), CPU: t.sum.CPU / float64(t.n),
	})
	t.n, t.sum = 0, point{}
	if len(t.points) == tracePoints {
		t.thin()
	}
}

// thin merges neighbours.
func (t *trace) thin() {
	half := t.points[:len(t.points)/2]
	for i := range half {
		a, b := t.points[2*i], t.points[2*i+1]
		b.Rate = (a.Rate + b.Rate) / 2
		b.CPU = (a.CPU + b.CPU) / 2
		half[i] = b
	}
	t.points = half
	t.merge *= 2
}

// mean returns the mean limit over the time sampled.
func (t *trace) mean() float64 {
	if t.last == 0 {
		return 0
	}
	return t.limitTime / t.last
}
