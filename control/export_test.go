package control

import (
	"reflect"
	"runtime"
	"strings"
)

// A Window is a window with its fields in reach of the tests.
type Window struct {
	N        int
	T, X     float64
	Comp     float64
	R, CV2   float64
	Even     bool
	Busy     float64
	Peak     int
	Bound    float64
	U, Idle  float64
	Q        float64
	CPUs, At float64
	GC       float64
}

func (w Window) in() window {
	return window{n: w.N, t: w.T, x: w.X, comp: w.Comp, r: w.R, cv2: w.CV2, even: w.Even, busy: w.Busy, peak: w.Peak,
		bound: w.Bound, u: w.U, idle: w.Idle, q: w.Q, cpus: w.CPUs, at: w.At, gc: w.GC}
}

func out(w window) Window {
	return Window{w.n, w.t, w.x, w.comp, w.r, w.cv2, w.even, w.busy, w.peak, w.bound, w.u, w.idle, w.q, w.cpus, w.at, w.gc}
}

func (w Window) Full() bool    { return w.in().full() }
func (w Window) CPULed() bool  { return w.in().cpuLed() }
func (w Window) Seated() bool  { return w.in().seated() }
func (w Window) Roof() float64 { return w.in().roof() }

const (
	RampUnits  = rampUnits
	HoldUnits  = holdUnits
	TrimEvery  = trimEvery
	UpMost     = upMost
	DownMost   = downMost
	CliffHold  = cliffHold
	FirstStep  = firstStep
	BelowPairs = belowPairs
)

// A Model is a model.
type Model struct{ k model }

func NewModel() *Model                            { return &Model{newModel()} }
func (m *Model) See(w Window)                     { m.k.see(w.in()) }
func (m *Model) Learn(w Window)                   { m.k.learn(w.in()) }
func (m *Model) Forget()                          { m.k.forget() }
func (m *Model) Least() float64                   { return m.k.r0 }
func (m *Model) NoiseX(a, c Window) float64       { return m.k.noiseX(a.in(), c.in()) }
func (m *Model) NoiseU(a, c Window) float64       { return m.k.noiseU(a.in(), c.in()) }
func (m *Model) Ratio(a, c Window) (d, v float64) { return m.k.ratio(a.in(), c.in()) }
func (m *Model) Sure(a, c Window) bool {
	d, v := m.k.ratio(a.in(), c.in())
	return m.k.sure(a.in(), c.in(), d, v)
}
func (m *Model) Patchy() bool               { return m.k.patchy() }
func (m *Model) Uneven() float64            { return m.k.uneven() }
func (m *Model) Residence() float64         { return m.k.residence() }
func LogRatio(c, a float64) float64         { return logRatio(c, a) }
func Hopeless(comp, want, cv2 float64) bool { return hopeless(comp, want, cv2) }

// A Meter is a meter and the model that it asks.
type Meter struct {
	m meter
	k model
}

// NewMeter begins a measurement at r, of units whose residence is known.
func NewMeter(r Reading, limit int, units, turns, residence float64) *Meter {
	m := &Meter{k: newModel()}
	m.k.r = residence
	m.m.begin(r, limit, units, turns, 0, &m.k)
	return m
}

// NewMeterOfHeap is NewMeter for work during which gc collections a second ran.
func NewMeterOfHeap(r Reading, limit int, units, turns, residence, gc float64) *Meter {
	m := &Meter{k: newModel()}
	m.k.r, m.k.gc = residence, gc
	m.m.begin(r, limit, units, turns, 0, &m.k)
	return m
}

func (m *Meter) Hope(x float64)      { m.m.hope = x }
func (m *Meter) Beside(cpus float64) { m.m.others = cpus }
func (m *Meter) Take(r Reading) bool { return m.m.take(r, &m.k) }
func (m *Meter) Settling() bool      { return m.m.settling }
func (m *Meter) Window() Window      { return out(m.m.window(&m.k)) }

// Others is others.
type Others struct{ o others }

// See takes a reading and returns how many CPUs others use.
func (o *Others) See(r Reading) float64 { o.o.see(r); return o.o.rate }

// A Detector is a detector and the model that it asks.
type Detector struct {
	d detector
	k model
}

func NewDetector() *Detector                   { return &Detector{k: newModel()} }
func (d *Detector) Alarm(w Window) bool        { return d.d.alarm(w.in(), &d.k) }
func (d *Detector) Shift(gain float64)         { d.d.shift(gain) }
func (d *Detector) SD(w Window) float64        { return d.d.sd(w.in(), &d.k) }
func (d *Detector) IdleShare(w Window) float64 { return d.d.idleShare(w.in()) }

// A Cliff is a cliff.
type Cliff struct{ c cliff }

func (c *Cliff) Suspect(a, b Window, d, v float64) { c.c.suspect(a.in(), b.in(), d, v) }
func (c *Cliff) Note(n int, now float64)           { c.c.note(n, now) }
func (c *Cliff) Below(n int, now float64) int      { return c.c.below(n, now) }

// Evidence is evidence and the model that it asks.
type Evidence struct {
	e evidence
	k model
}

func NewEvidence() *Evidence                      { return &Evidence{k: newModel()} }
func (e *Evidence) About(a, b int, now float64)   { e.e.about(a, b, now) }
func (e *Evidence) Add(d, v float64, a, b Window) { e.e.add(d, v, a.in(), b.in(), &e.k) }
func (e *Evidence) N() float64                    { return e.e.n }
func (e *Evidence) Mean() float64                 { return e.e.mean() }
func (e *Evidence) Err() float64                  { return e.e.err() }
func (e *Evidence) ByCPU() bool                   { return e.e.byCPU }
func (e *Evidence) VX() float64                   { return e.k.vx }

// A Pool is a pool.
type Pool struct{ p pool }

func (p *Pool) Add(w Window)         { p.p.add(w.in()) }
func (p *Pool) Take(w Window) Window { return out(p.p.take(w.in())) }

// BackOff returns the intervals of a direction that fails so many times.
func BackOff(times int, most, residence float64) []float64 {
	var d direction
	var waits []float64
	for range times {
		d.backOff(d.at, most, residence)
		waits = append(waits, d.wait)
	}
	return waits
}

// ShedDue reports for each reading whether a limit that was borne before is to be cut.
func ShedDue(residence float64, readings ...Reading) []bool {
	var s shed
	var due []bool
	for _, r := range readings {
		due = append(due, s.due(r, residence, false))
	}
	return due
}

// Due returns the name of the experiment that a fresh search would choose at a
// time, or "". Directions are put off by up and down seconds.
func Due(w Window, now, up, down float64, cliff int) string {
	s := NewSearch()
	s.due.up.at, s.due.down.at = up, down
	if cliff > 0 {
		s.cliff.note(cliff, now)
	}
	e := s.due.choose(s, w.in(), now)
	if e == nil {
		return ""
	}
	name := runtime.FuncForPC(reflect.ValueOf(e).Pointer()).Name()
	return strings.TrimSuffix(name[strings.LastIndex(name, ".")+1:], "-fm")
}

// Settle makes the schedule of s one that has been holding for long, so that
// neither direction is due before a time.
func (s *Search) Settle(until float64) {
	s.due.up.at, s.due.down.at, s.due.scout, s.due.sentinel, s.due.strict = until, until, until, until, until
}

// Home returns the limit that stands.
func (s *Search) Home() int { return s.home }

// A Slope is a slope.
type Slope struct{ s slope }

func (s *Slope) Left(need float64) float64 { return s.s.left(need) }
func (s *Slope) Found(gain float64)        { s.s.found(gain) }
func (s *Slope) Step(gain float64)         { s.s.step(gain) }

const FarLoss = farLoss

// ShareAbove compares two shares, k of m units each.
func ShareAbove(k1, m1, k0, m0 float64) float64 {
	return share{refused: k1, ended: m1}.above(share{refused: k0, ended: m0})
}

// ShareLag returns the lag between two readings, s.
func ShareLag(from, to Reading) float64 { return between(from, to).lag() }
