package control

import "math"

// A detector remembers how windows at the standing limit look and notices when
// they look different.
type detector struct {
	n int     // windows seen
	x float64 // ln throughput
}

const (
	// usualNoise is the standard deviation of a machine's speed over a second that is not
	// worth an alarm.
	usualNoise = 0.03
	// usualRate is the weight of the newest window.
	usualRate = 0.05
	// usualOdd standard deviations, and a fifth, are an alarm.
	usualOdd = 4.5
)

// alarm takes a window and reports whether it differs from the reference.
func (d *detector) alarm(w window, k *work) bool {
	rate := usualRate
	if d.n < 3 {
		rate = 1 / float64(d.n+1)
	} else if d.changed(w, k) {
		return true
	}
	d.x += rate * (math.Log(max(w.x, 1e-9)) - d.x)
	d.n++
	return false
}

// changed reports whether w looks unlike the reference.
func (d *detector) changed(w window, k *work) bool {
	dx := math.Abs(logRatio(w.x, math.Exp(d.x)))
	return d.n >= 3 && dx > max(0.2, usualOdd*d.sd(w, k))
}

func (d *detector) sd(w window, k *work) float64 {
	return math.Sqrt(usualNoise*usualNoise + k.dispersion(w)/max(w.comp, 1) + k.vx/2)
}

// changed takes a second odd window in a row, because one is a hiccup of the host. What
// was learnt at and around the limit that stands is out of date.
func (s *Search) changed(w window) {
	dx, sd := logRatio(w.x, math.Exp(s.usual.x)), s.usual.sd(w, &s.work)
	s.restart()
	s.looks[far].at = s.now() + upMost
	s.say(Reason{Kind: Changed, From: w.n, To: w.n, Gain: math.Expm1(dx), Error: sd})
	switch {
	case dx > 0 && w.crowd == 0:
		s.work.r0 = 0
		s.work.learn(w)
		s.ramp(w, 0)
	case dx < 0:
		s.descend(w)
	default:
		s.work.learn(w)
		s.rest()
	}
}
