package control

import (
	"math"
	"time"
)

// defaultPeriod is the published implementation's advice. A tenth of a second
// holds ten ticks of a kernel that counts CPU time in steps of 10 ms, and is
// short against the seconds in which work changes.
const defaultPeriod = 100 * time.Millisecond

// defaultMax bounds a law that has no sign to stop at. It is far above every
// useful number of units, and far below what takes a machine down in one step.
const defaultMax = 100_000

// A sampler cuts the stream of readings into windows of one period. Readings
// that come early belong to the window under way.
type sampler struct {
	from  Reading // the beginning of the window under way
	begun bool
}

// next returns the beginning of the window that ends with r. When none ends
// here, ok is false and d is the decision to keep the limit until it does.
func (s *sampler) next(r Reading, period time.Duration) (from Reading, d Decision, ok bool) {
	if !s.begun {
		s.begun, s.from = true, r
		return r, begin(r, 0, 0, period), false
	}
	if left := s.from.At + period - r.At; left > 0 {
		return r, Decision{Limit: r.Limit, After: left, Reason: Reason{Gain: math.NaN()}}, false
	}
	from, s.from = s.from, r
	return from, Decision{}, true
}

// over says whether the window under way has lasted a period. Laws that also
// need something else ask it first, and let the window go on until they have
// that.
func (s *sampler) over(r Reading, period time.Duration) bool {
	return s.begun && r.At-s.from.At >= period
}

// again is when to ask again if a window that has lasted its time shows nothing
// yet. It is a tick of the loop, and what the .NET thread pool waits.
const again = 10 * time.Millisecond

// goOn returns the decision to keep the limit and look again soon.
func goOn(r Reading) Decision {
	return Decision{Limit: r.Limit, After: again, Reason: Reason{Gain: math.NaN()}}
}

// orDefault returns x, or standard where x is not set.
func orDefault[T int | time.Duration](x, standard T) T {
	if x <= 0 {
		return standard
	}
	return x
}

// move returns the decision to go from one limit to another, and why.
func move(from, to int, after time.Duration, note string) Decision {
	reason := Reason{From: from, To: to, Gain: math.NaN()}
	switch {
	case to > from:
		reason.Kind, reason.Note = Grow, note
	case to < from:
		reason.Kind, reason.Note = Shrink, note
	}
	return Decision{Limit: to, After: after, Reason: reason}
}
