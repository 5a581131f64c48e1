package control

import "time"

// Home returns the limit that stands.
func (s *Search) Home() int { return s.home }

// Settle puts off all looks of s until a time.
func (s *Search) Settle(until float64) {
	for i := range s.looks {
		s.looks[i].at = until
	}
}

// A Window is a window with its fields in reach of the tests.
type Window struct {
	N                 int
	T, X, Comp        float64
	Weight            float64
	R, CV2            float64
	Even              bool
	Busy              float64
	Peak              int
	Bound, U, Idle    float64
	CPUs, Crowd       float64
	Other, GC         float64
	At                float64
	Full, Led, Seated bool // as the methods say, in windows that come from the law
}

func (w Window) in() window {
	return window{w.N, w.T, w.X, w.Comp, w.Weight, w.R, w.CV2, w.Even, w.Busy, w.Peak, w.Bound, w.U, w.Idle, w.CPUs, w.Crowd, w.Other, w.GC, w.At}
}

func out(w window) Window {
	return Window{w.n, w.t, w.x, w.comp, w.weight, w.r, w.cv2, w.even, w.busy, w.peak, w.bound, w.u, w.idle, w.cpus, w.crowd, w.other, w.gc, w.at,
		w.full(), w.led(), w.seated()}
}

// Judged returns w with what its methods say.
func (w Window) Judged() Window { return out(w.in()) }

const (
	RampUnits  = rampUnits
	HoldUnits  = holdUnits
	MinWindow  = minWindow
	DuelKept   = duelKept
	DuelMemory = duelMemory
)

// A Work is what a law knows of the work.
type Work struct{ k work }

// NewWork returns what is known of units with a residence, s, during which
// collections a second ran; others is the share of the CPUs that others use.
func NewWork(residence, collections, others float64) *Work {
	k := &Work{newWork()}
	k.k.r, k.k.gc, k.k.others = residence, collections, others
	return k
}

func (k *Work) See(w Window)                     { k.k.see(w.in()) }
func (k *Work) Learn(w Window)                   { k.k.learn(w.in()) }
func (k *Work) Least() float64                   { return k.k.r0 }
func (k *Work) Noise(a, b Window) float64        { return k.k.noise(a.in(), b.in()) }
func (k *Work) Ratio(a, b Window) (d, v float64) { return k.k.ratio(a.in(), b.in(), true) }

// Social adds what others gain to a log gain.
func Social(d, v, others, vo float64) (float64, float64) { return social(d, v, others, vo) }

// LogRatio is ln(b/a), bounded.
func LogRatio(b, a float64) float64 { return logRatio(b, a) }

// A Meter takes measurements of Work.
type Meter struct {
	m meter
	k *Work
}

// NewMeter begins a measurement at r, in which limit comes into force.
func NewMeter(r Reading, limit int, units, turns float64, k *Work) *Meter {
	m := &Meter{k: k}
	m.m.begin(r, limit, units, turns, &k.k)
	return m
}

func (m *Meter) Hope(x float64)      { m.m.hope = x }
func (m *Meter) Take(r Reading) bool { return m.m.take(r, &m.k.k) }
func (m *Meter) Settling() bool      { return m.m.settling }
func (m *Meter) Window() Window      { return out(m.m.window(&m.k.k)) }

// A Detector is a detector of windows of Work.
type Detector struct{ d detector }

func (d *Detector) Alarm(w Window, k *Work) bool { return d.d.alarm(w.in(), &k.k) }
func (d *Detector) SD(w Window, k *Work) float64 { return d.d.sd(w.in(), &k.k) }

// Rules of a duel.
type Rules struct {
	Need        float64
	Least, Most int
	Tie         bool
}

// A Duel is a duel in Work.
type Duel struct {
	d duel
	k *Work
}

// NewDuel returns a duel without limits.
func NewDuel(k *Work) *Duel { return &Duel{k: k} }

// About begins a sitting with a window at the limit that stands.
func (d *Duel) About(a Window, b int, now float64, r Rules) {
	d.d.about(a.N, b, now)
	d.d.rules, d.d.wa = rules{need: r.Need, least: r.Least, most: r.Most, tie: r.Tie}, a.in()
}

// Take takes a window and returns the limit to measure next, or a verdict.
func (d *Duel) Take(w Window) (next int, verdict string) {
	next, v := d.d.take(w.in(), &d.k.k)
	return next, [...]string{undecided: "", better: "better", worse: "worse", abandoned: "abandoned"}[v]
}

func (d *Duel) Pairs() float64            { return d.d.x.n }
func (d *Duel) Led() bool                 { return d.d.led }
func (d *Duel) Gain() (gain, err float64) { return d.d.gain() }
func (d *Duel) String() string            { return d.d.String() }

// ShareOdds returns the odds of the share p over q, of k refused of m units.
func ShareOdds(k, m, p, q float64) float64 { return share{refused: k, ended: m}.odds(p, q) }

// ShareWorse returns the odds that k of m units refused are more than usual, k0 of m0.
func ShareWorse(k, m, k0, m0 float64) float64 {
	return share{refused: k, ended: m}.worse(share{refused: k0, ended: m0})
}

// ShareLag returns the lag between two readings, s.
func ShareLag(from, to Reading) float64 { return between(from, to).lag() }

// LongTerm returns M, the long-term mean of the time in flight.
func (g *Gradient2) LongTerm() time.Duration {
	return time.Duration(g.long.value * float64(time.Second))
}

// Setting returns the limit without the wave.
func (h *HillClimbing) Setting() float64 { return h.setting }

// Shortly writes seconds as reasons do.
func Shortly(s float64) string { return shortly(s) }
