package run

import (
	"time"

	"github.com/sweetspot-go/sweetspot"
)

type point struct {
	At       float64 `json:"at"`        // s since the start; the end of the stretch described
	Limit    int     `json:"limit"`     // at At
	InFlight int     `json:"in_flight"` // at At
	Rate     float64 `json:"rate"`      // jobs ended per second
	CPU      float64 `json:"cpu"`       // CPUs that the jobs kept busy
	span     float64 // s described
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
	merge  int   // samples per point
	n      int   // samples in the point being built
	open   point // that point

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
	t.limitTime += float64(s.Limit) * dt
	t.max = max(t.max, s.Limit)
	t.open = t.open.then(point{
		At: now, Limit: s.Limit, InFlight: s.InFlight,
		Rate: float64(done-t.done) / dt, CPU: s.OwnCPU, span: dt,
	})
	t.last, t.done = now, done

	if t.n++; t.n >= t.merge {
		t.keep()
	}
}

// short reports whether p is less than half of a point.
func (t *trace) short(p point) bool {
	return p.span < sampleEvery.Seconds()*float64(t.merge)/2
}

// end takes the last sample. The run rarely ends with a point: what is left is
// one of its own, or a part of the one before where it is short, since over a
// moment the rate says nothing.
func (t *trace) end(at time.Duration, done int64, s sweetspot.Stats) {
	t.sample(at, done, s)
	if t.n > 0 {
		t.keep()
	}
	last := len(t.points) - 1
	if last > 0 && t.short(t.points[last]) {
		t.points[last-1] = t.points[last-1].then(t.points[last])
		t.points = t.points[:last]
	}
}

// keep ends the point being built.
func (t *trace) keep() {
	t.points = append(t.points, t.open)
	t.n, t.open = 0, point{}
	if len(t.points) == tracePoints {
		t.thin()
	}
}

// thin merges neighbours.
func (t *trace) thin() {
	half := t.points[:len(t.points)/2]
	for i := range half {
		half[i] = t.points[2*i].then(t.points[2*i+1])
	}
	t.points = half
	t.merge *= 2
}

// then returns what describes the stretches of p and of its successor.
func (p point) then(next point) point {
	span := p.span + next.span
	next.Rate = (p.Rate*p.span + next.Rate*next.span) / span
	next.CPU = (p.CPU*p.span + next.CPU*next.span) / span
	next.span = span
	return next
}

// mean returns the mean limit over the time sampled.
func (t *trace) mean() float64 {
	if t.last == 0 {
		return 0
	}
	return t.limitTime / t.last
}
