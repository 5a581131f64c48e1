package control

import (
	"math"
	"time"
)

// A latencyTrip is what Latency sees of a window.
type latencyTrip struct {
	limit int
	time  float64 // mean time in flight, s
	error float64 // its standard error, relative
	load  float64 // mean units in flight
	rate  float64 // units done, 1/s
	bound bool    // the limit held the work back
	full  bool    // and nearly all the time
}

// A latencyWindow cuts the readings into windows at one limit. It leaves out
// what was in flight when the limit changed.
type latencyWindow struct {
	begun    bool
	settling bool
	until    time.Duration // settling
	from     Reading
	last     float64 // mean time in flight in the last window that had one, s
}

// begin begins anew, at another limit.
func (w *latencyWindow) begin(r Reading, settle time.Duration) {
	w.again(r)
	w.begun, w.settling, w.until = true, settle > 0, r.At+settle
}

// again begins a window at the same limit.
func (w *latencyWindow) again(r Reading) { w.from = r }

// end returns what the window that ends with r has shown; ok is false if none
// ends here.
func (w *latencyWindow) end(r Reading, hurry bool) (t latencyTrip, ok bool) {
	if w.settling {
		if r.At < w.until {
			return t, false
		}
		w.begin(r, 0)
		return t, false
	}
	from, took := w.from, (r.At - w.from.At).Seconds()
	if took <= 0 || r.Completed-from.Completed < atLeastUnits {
		return t, false
	}
	t.limit = r.Limit
	t.time = residence(from, r)
	n := float64(r.Timed - from.Timed)
	t.error = relativeError(n, t.time, r.Residence2-from.Residence2)
	enough := t.error <= latencyError || n >= mostLatencyUnits || n <= 0 || hurry && t.error <= rampError
	if took < max(defaultPeriod.Seconds(), t.time) || !enough && took < max(mostLatencyWindow.Seconds(), mostLatencyTimes*t.time) {
		return t, false
	}
	t.rate = float64(r.Completed-from.Completed) / took
	t.load = (r.Occupancy - from.Occupancy) / took
	t.full = r.Bound-from.Bound >= saturatedShare*took || t.load >= saturatedShare*float64(r.Limit)
	t.bound = t.full || r.Bound-from.Bound >= boundTime*took
	if t.time > 0 {
		w.last = t.time
	}
	return t, true
}

// relativeError returns the standard error of a mean of n, relative to it, from
// the sum of the squares; 1 where it is not known.
func relativeError(n, mean, squares float64) float64 {
	if n < 2 || !(mean > 0) {
		return 1
	}
	variance := max(0, squares/n-mean*mean)
	return math.Sqrt(variance/n) / mean
}
