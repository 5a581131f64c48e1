package control

import "math"

// A detector remembers how windows at the standing limit look and notices when
// they look different.
type detector struct {
	n          int     // windows seen
	x          float64 // ln throughput
	idle, u, q float64
	hi, lo     float64 // two-sided CUSUM of x
}

func (d *detector) reset() { *d = detector{} }

// shift moves the reference by the gain of a move. A gain measured while the
// machine changed may be anything; half an octave is the most a step brings.
func (d *detector) shift(gain float64) {
	d.x += min(max(gain, -0.35), 0.35)
	d.hi, d.lo = 0, 0
}

// idleShare returns the share of the CPU time within reach that is idle, by the
// reference where there is one, else by w.
func (d *detector) idleShare(w window) float64 {
	idle, u := d.idle, d.u
	if d.n < 3 {
		idle, u = w.idle, w.u
	}
	return idle / max(u+idle, 1e-9)
}

// idleOf returns the idle share of the CPUs, likewise.
func (d *detector) idleOf(w window) float64 {
	if d.n < 3 {
		return w.idle
	}
	return d.idle
}

func (d *detector) sd(w window, k *model) float64 {
	return math.Sqrt(0.03*0.03 + k.dispersion(w)/max(w.comp, 1) + *k.scatter(w, w)/2)
}

// alarm takes a window and reports whether it differs from the reference.
//
// CUSUM: E. S. Page, "Continuous inspection schemes", Biometrika 1954; slack 1
// and threshold 8 standard deviations.
func (d *detector) alarm(w window, k *model) bool {
	x := math.Log(max(w.x, 1e-9))
	if d.n < 3 {
		f := 1 / float64(d.n+1)
		d.x, d.idle, d.u, d.q = d.x+f*(x-d.x), d.idle+f*(w.idle-d.idle), d.u+f*(w.u-d.u), d.q+f*(w.q-d.q)
		d.n++
		return false
	}
	z := (x - d.x) / d.sd(w, k)
	c := min(max(z, -6), 6)
	d.hi, d.lo = max(0, d.hi+c-1), max(0, d.lo-c-1)
	if math.Abs(z) > 4.5 && math.Abs(x-d.x) > 0.2 || d.hi > 8 || d.lo > 8 || d.moved(w) {
		return true
	}
	const f = 0.05
	d.x, d.idle, d.u, d.q = d.x+f*(x-d.x), d.idle+f*(w.idle-d.idle), d.u+f*(w.u-d.u), d.q+f*(w.q-d.q)
	d.n++
	return false
}

// moved reports whether the CPUs look different from the reference. The queue
// for the CPUs means something only while they are full; with idle CPUs it
// shows bursts of timers.
func (d *detector) moved(w window) bool {
	return math.Abs(w.idle-d.idle) > 0.12+0.02/(w.t*w.cpus) ||
		w.full() && math.Abs(w.q-d.q) > 0.25*float64(w.n)+3
}

// patience grows with alarms that came to nothing: where noise is slow, such as
// a garbage collector's under a tight memory limit, searching again at every
// alarm would leave no time to work.
type patience struct {
	home  int     // where the search stood at the newest alarm
	size  float64 // of that alarm: log
	gap   float64 // s
	until float64
}

const (
	patienceLeast = 0.5
	patienceMost  = 32
	// patienceSize is by how much an alarm must exceed the one before to be another.
	patienceSize = 1.5
	// patienceFloor is the log size below which alarms are all of one kind.
	patienceFloor = 0.2
)

// alarm takes note of an alarm of some size with the search standing at home, and
// reports whether it is of the kind of the one before, which came to nothing.
func (p *patience) alarm(home int, size, now float64) (again bool) {
	again = p.home > 0 && size < patienceSize*max(p.size, patienceFloor) && math.Abs(math.Log(float64(home)/float64(p.home))) < 0.25 && now < p.until+max(5, 4*p.gap)
	if again {
		p.gap = min(2*p.gap, patienceMost)
	} else {
		p.gap = patienceLeast
	}
	if !again {
		p.size = 0
	}
	p.home, p.size, p.until = home, max(p.size, size), now+p.gap
	return again
}

// confirm takes a second window after an alarm: one odd window is a hiccup of
// the host, not a change.
func (s *Search) confirm(w window) {
	if w.bound < boundEnough {
		s.appLimited(w)
		return
	}
	ref := s.watch
	dx := logRatio(w.x, math.Exp(ref.x))
	sd := ref.sd(w, &s.model)
	if math.Abs(dx) < 0.1 && !ref.moved(w) {
		s.watch.hi, s.watch.lo = 0, 0
		s.model.learn(w)
		s.hold(w)
		return
	}
	s.home = w.n
	if s.served(w) && !ref.moved(w) && math.Abs(logRatio(w.u, ref.u)) < servedSame {
		// All are as busy as before: it is the work that differs.
		s.watch.reset()
		s.hold(w)
		return
	}
	if s.patience.alarm(w.n, math.Abs(dx), s.now()) {
		// The work is like this: a new reference, and the search goes on.
		s.watch.reset()
		s.model.learn(w)
		s.hold(w)
		return
	}
	s.restart()
	r := Reason{Kind: Changed, From: w.n, To: w.n, Gain: math.Expm1(dx), Error: sd}
	big := max(0.15, 2*sd)
	switch {
	case w.full() && w.u < 0.85*ref.u && !w.crowded():
		r.Note = "others took CPUs away"
		s.say(r)
		s.model.learn(w)
		s.due.up.at, s.due.down.at = s.now()+1.5, s.now()+1.5
		s.move(int(math.Round(float64(w.n)*w.u/ref.u)), math.NaN(), 0, "as many as the CPUs left can run")
		s.measure(s.home, holdUnits, 1.5, (*Search).hold)
	case dx > big, w.idle > ref.idle+0.08 && !(dx < -0.2 && !w.cpuLed()):
		r.Note = "there is room for more"
		s.say(r)
		s.model.forget()
		s.model.learn(w)
		s.ramp(w, 0, (*Search).landed)
	case dx < -big && !w.full() && !w.crowded():
		s.say(r)
		s.drop(w)
	default:
		s.say(r)
		s.model.learn(w)
		if w.crowded() {
			s.settleHeap()
		}
		s.measure(w.n, holdUnits, 1.5, (*Search).hold)
	}
}

// drop finds out why the throughput fell. If half the limit does the same, a
// capacity behind fell, and Little's law says how many units it takes now.
// Otherwise the units became slower and want the limit, or more.
func (s *Search) drop(a window) {
	n := s.clamp(a.n / 2)
	if n >= a.n || a.seated() {
		s.model.learn(a)
		s.measure(a.n, holdUnits, 1.5, (*Search).hold)
		return
	}
	s.probe(n)
	s.measure(n, rampUnits, 1.5, func(_ *Search, h window) {
		d, v := s.model.ratio(a, h)
		to, note := a.n, "the units take longer"
		if d > -0.35 {
			to, note = min(max(int(math.Ceil(1.15*h.x*s.model.r0)), 1), h.n), "the capacity behind the work fell"
		} else {
			s.model.forget()
		}
		s.move(to, math.Expm1(d), math.Sqrt(v), note)
		s.measure(to, rampUnits, 1.5, func(_ *Search, w window) {
			s.model.learn(w)
			s.ramp(w, 0, (*Search).landed)
		})
	})
}
