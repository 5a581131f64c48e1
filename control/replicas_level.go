package control

import "math"

// A level is the estimate of a rate, events per second, that mostly stands
// still and now and then jumps. While what comes agrees with it, it is the
// mean of a memory of windows and gets more exact than any of them; a window
// that does not agree begins it anew, so that a jump is followed within one.
//
// To agree means to lie within three standard deviations, as of a Poisson
// count: the limit of Shewhart's control charts (W. A. Shewhart, "Economic
// Control of Quality of Manufactured Product", 1931). Counts of other
// distributions that spread more only begin it anew more often.
type level struct {
	events, seconds float64
}

const (
	outOfLevel = 3.0
	// A window's weight falls by this factor with each that follows: the
	// memory is some ten windows, which takes two thirds off the noise.
	levelKeeps = 0.9
)

// add takes one window. Windows without time count nothing.
func (l *level) add(events, seconds float64) {
	if seconds <= 0 {
		return
	}
	// One event more than expected is never a surprise: without it, the first
	// request after a quiet time would be out of every limit.
	expected := l.rate() * seconds
	if math.Abs(events-expected) > outOfLevel*math.Sqrt(expected)+1 {
		l.events, l.seconds = 0, 0
	}
	l.events = levelKeeps*l.events + events
	l.seconds = levelKeeps*l.seconds + seconds
}

// rate returns the events per second; 0 while there were none.
func (l *level) rate() float64 {
	if l.seconds == 0 {
		return 0
	}
	return l.events / l.seconds
}
