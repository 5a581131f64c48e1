package main

import (
	"math"
	"math/rand/v2"
	"time"
)

// A sink is the receiver of Vector's tests: it answers after a delay, and defers or
// drops what is too much.
type sink struct {
	clock *clock
	sc    *vectorScenario
	dice  *rand.Rand

	level  int // in flight
	levels levels
	recent []time.Duration // when the requests of the last second began
	rates  levels

	refused int
}

// late is how much longer than said an answer takes: tokio's timers are rounded up to
// milliseconds, and the bands of times allow for it.
const late = time.Millisecond

// request serves one request and calls answer; never if it is dropped.
func (s *sink) request(answer func(ok bool)) {
	s.prune()
	s.recent = append(s.recent, s.clock.now)
	s.rates.add(len(s.recent), s.clock.now)
	s.adjust(+1)
	n, sc := s.level, s.sc
	accepted := (sc.Most == 0 || n <= sc.Most) && (sc.Rate == 0 || len(s.recent) <= sc.Rate)
	switch {
	case accepted:
	case sc.Drops:
		s.refused++
		s.leave()
		return
	default:
		s.refused++
		n = 1
	}
	s.clock.after(seconds(s.delay(n))+late, func() {
		s.leave()
		answer(accepted)
	})
}

// delay returns how long a request takes with n in flight, s.
func (s *sink) delay(n int) float64 {
	w := s.sc.Slow
	d := 1 + float64(n-1)*w.Scale + s.dice.ExpFloat64()*s.sc.Jitter
	if w.Knee > 0 {
		d += math.Pow(w.Exp, float64(max(0, n-w.Knee))) - 1
	}
	return d * s.sc.Delay
}

func (s *sink) leave() {
	s.prune()
	s.rates.add(len(s.recent), s.clock.now)
	s.adjust(-1)
}

func (s *sink) adjust(by int) {
	s.levels.add(s.level, s.clock.now)
	s.level += by
}

// prune forgets requests that began a second ago or earlier.
func (s *sink) prune() {
	for len(s.recent) > 0 && s.recent[0] <= s.clock.now-time.Second {
		s.recent = s.recent[1:]
	}
}
