package sweetspot

import (
	"math"
	"sync"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/company"
	"github.com/sweetspot-go/sweetspot/limit"
	"github.com/sweetspot-go/sweetspot/sense"
)

// limiters are all Limiters of the process. Beside the sampler of their sensors it is the
// only state that they share.
var limiters company.Company

// A governor closes the loop of one Limiter: every tick it reads the sensors,
// asks the law, and puts its answer in force. It ticks only while units are in
// flight, from a timer that is re-armed by each tick, so there is nothing to
// close; the first Acquire after a rest wakes it.
type governor struct {
	l *Limiter

	beat   metronome
	mu     sync.Mutex
	timer  *time.Timer
	last   time.Duration // of the newest tick, since the epoch
	due    time.Duration // when the next one should come after it
	seen   limit.Counters
	ended  int64         // units that ended in any way, at the newest tick
	weight int64         // of the units that were done, at the newest tick; may wrap
	env    sense.Sample  // the newest
	sensed bool          // env is valid
	idle   bool          // nothing was in flight at the newest tick
	after  time.Duration // the law wants no reading before this (in Reading.At)
	soon   bool          // the law wants ticks at twice the pace
	gone   chan struct{} // closed by the tick that was due when the governor retired
	veto   veto
	away   refusals
	stands int // the limit that the law is at, experiments left aside; 0 before it was asked
	peers  *company.Member

	r     control.Reading // the newest; its totals leave out idle stretches
	rates rates
	log   changes

	untold  []Change   // of those in log, for the logger
	telling sync.Mutex // held while its records are written; never with mu
}

func (g *governor) init(l *Limiter) {
	g.l, g.peers = l, limiters.Join(l.outside)
	if law, ok := l.law.(control.LatencyReader); ok && law.ReadsLatencies() {
		l.ledger.latencies, g.r.Latencies = new(control.Histogram), new(control.Histogram)
	}
}

// wake starts the ticks. Units admitted before the timer is armed are counted
// by the next tick, for all counters are totals.
func (g *governor) wake() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.l.running.Load() {
		return
	}
	g.last = time.Since(g.l.epoch)
	g.seen = g.l.sem.Counters()
	if g.sensed {
		// Not at the first time: making a sensor and reading all that it can
		// takes some 50 µs, longer than many a Limiter is in use. The law is
		// first asked at the first tick, so none of its windows misses the CPU
		// time before.
		g.env = g.sense(g.seen.InFlight)
	}
	g.idle = false
	g.peers.Wake()
	g.l.running.Store(true)
	// A new timer, for a Limiter that outlives a synctest bubble may wake in
	// another one, and timers cannot.
	g.beat.begin(g.l)
	g.due = g.beat.next(0, g.soon)
	g.timer = time.AfterFunc(g.due, g.tick)
}

// sense reads the sensor.
func (g *governor) sense(inFlight int) sense.Sample {
	if g.l.sensor == nil {
		// One for each Limiter: what a sensor knows of memory and threads
		// belongs to the crowd that it is told of.
		g.l.sensor = sense.NewProcess()
	}
	return g.l.sensor.Sense(inFlight)
}

// interval returns the time to the next tick.
func (g *governor) interval() time.Duration {
	wanted := g.after - g.r.At
	if g.seen.InFlight == 0 {
		wanted = 0 // to see soon whether it rests
	}
	if g.idle {
		g.beat.stretch = 0
	}
	return g.beat.next(wanted, g.soon)
}

// hasten ends the sleep of a law that wanted no reading.
func (g *governor) hasten() {
	if g.beat.asleep.Load() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.rouse()
	}
}

// rouse is hasten with mu held.
func (g *governor) rouse() {
	if g.beat.asleep.Load() && g.l.running.Load() && g.timer.Stop() { // else its tick is about to run
		d := g.beat.next(0, g.soon)
		g.due = time.Since(g.l.epoch) - g.last + d
		g.timer.Reset(d)
	}
}

func (g *governor) tick() {
	defer g.tell()
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.gone != nil {
		close(g.gone)
		g.gone = nil
		return
	}
	if g.l.running.Load() {
		g.step()
	}
}

func (g *governor) step() {
	now := time.Since(g.l.epoch)
	c := g.l.sem.Counters()
	if g.rest(c) {
		return
	}
	overloads := g.r.Overloads
	g.read(now, c)
	if g.r.At >= g.after || g.r.Overloads != overloads || g.outside() {
		g.decide()
	}
	g.rates.add(&g.r)
	g.due = g.interval()
	g.timer.Reset(g.due)
}

// rest ends the ticks if nothing was in flight for a whole tick.
func (g *governor) rest(c limit.Counters) bool {
	// Units that failed count as well: they are work, and may report overload.
	ended := c.Completed + g.l.ignored.Load() + g.l.overloads.Load()
	busy := c.InFlight > 0 || c.Waiting > 0 || ended != g.ended
	g.ended = ended
	if busy {
		g.idle = false
		return false
	}
	if !g.idle {
		g.idle = true
		return false
	}
	g.l.running.Store(false)
	// An Acquire that saw running before the store relies on us: it has its
	// permit, so it is in flight now.
	if c := g.l.sem.Counters(); c.InFlight > 0 || c.Waiting > 0 {
		g.l.running.Store(true)
		return false
	}
	g.beat.end()
	return true
}

// retire ends the ticks of a Limiter whose call is over. When it returns, no
// timer is armed, and no tick runs or will. Nothing may be in flight or come
// meanwhile. A permit taken later wakes the governor again.
func (l *Limiter) retire() {
	l.gov.mu.Lock()
	gone := l.gov.stop()
	l.gov.mu.Unlock()
	if gone != nil {
		<-gone
	}
}

// standing returns the limit that the law has arrived at. The one in force may be an
// experiment.
func (l *Limiter) standing() int {
	l.gov.mu.Lock()
	defer l.gov.mu.Unlock()
	if l.gov.stands > 0 {
		return min(l.gov.stands, l.max)
	}
	return l.Limit()
}

// undecided reports whether the law has not come to any decision: it may have begun
// an experiment.
func (l *Limiter) undecided() bool {
	l.gov.mu.Lock()
	defer l.gov.mu.Unlock()
	for i := range l.gov.log.ring {
		if k := l.gov.log.ring[i].Reason.Kind; k != control.Start && k != control.Probe {
			return false
		}
	}
	return true
}

// full reports whether the CPUs have been busy from the first measurement on, and no less
// than a fair share of them with this process. It is false as long as that is unknown.
func (l *Limiter) full() bool {
	l.gov.mu.Lock()
	defer l.gov.mu.Unlock()
	a, b := &l.gov.rates.first, &l.gov.rates.last
	most := (b.At - a.At).Seconds() * b.CPUs
	own, all := b.OwnCPU-a.OwnCPU, b.MachineCPU-a.MachineCPU
	return most > 0 && (own >= 0.8*most || own >= 0.3*most && all >= 0.95*most)
}

// stop is retire but for the wait: it returns what the last tick will close, or
// nil if that is over. It holds mu.
func (g *governor) stop() chan struct{} {
	if !g.l.running.Load() {
		return nil
	}
	g.l.running.Store(false)
	g.beat.end()
	if !g.timer.Stop() {
		// The timer has fired: its tick waits for mu, or is about to.
		g.gone = make(chan struct{})
	}
	return g.gone
}

// read brings the Reading up to date.
func (g *governor) read(now time.Duration, c limit.Counters) {
	l, r := g.l, &g.r
	env := g.sense(c.InFlight)
	if !g.sensed {
		g.env, g.sensed = env, true
	}
	span, bound := now-g.last, c.Bound-g.seen.Bound
	stood := g.standstill(span, env.OwnCPU-g.env.OwnCPU)
	if stood > 0 {
		span -= stood
		bound = min(bound, span)
		g.env.MachineCPU = env.MachineCPU - (env.OwnCPU - g.env.OwnCPU) // nothing of what others did
		l.ledger.stoodStill(now)
	}
	dt := span.Seconds()
	r.At += span
	r.Limit, r.InFlight, r.Waiting = c.Limit, c.InFlight, c.Waiting
	r.Completed = c.Completed
	// Between the two looks a weight of 0 may have been taken off whose unit is
	// not counted here; but totals only grow. The difference is right also where the sum
	// has wrapped.
	if sum := c.Completed + l.surplus.Load(); sum-g.weight > 0 {
		r.Units += float64(sum - g.weight)
		g.weight = sum
	}
	r.Overloads = l.overloads.Load()
	e := l.ledger.read(r.Latencies)
	r.Timed, r.Residence, r.Residence2 = e.timed, e.residence, e.residence2
	r.TimedSince, r.ResidenceSince = e.timedSince, e.residenceSince
	r.Occupancy += dt * float64(g.seen.InFlight+c.InFlight) / 2
	if g.away.see(dt, g.ended+int64(c.InFlight), l.refused.Load(), c) {
		bound, r.Waiting = span, max(1, r.Waiting)
	}
	r.Bound += bound.Seconds()
	r.OwnCPU += max(0, env.OwnCPU-g.env.OwnCPU)
	r.MachineCPU += max(0, env.MachineCPU-g.env.MachineCPU)
	r.Runnable += dt * env.Runnable
	r.CPUs, r.Tick = env.CPUs, env.Tick
	r.Collections = env.GCCycles
	r.Min, r.Max = l.min, l.max
	if env.Ceiling > 0 {
		r.Max = max(1, min(r.Max, env.Ceiling))
		r.Min = min(r.Min, r.Max)
	}
	if l.hand > 0 {
		r.Min, r.Max = l.hand, l.hand
	}
	g.last, g.seen, g.env = now, c, env
	g.peers.Observe(r)
}

// outside reports whether the limit in force breaks a bound, such as a ceiling
// that has just fallen. That cannot wait until the law wants the next reading.
func (g *governor) outside() bool {
	return !g.l.observe && (g.r.Limit < g.r.Min || g.r.Limit > g.r.Max)
}

// decide asks the law and puts its answer in force.
func (g *governor) decide() {
	r := &g.r
	d := g.l.law.Next(*r)
	g.soon = d.Soon
	g.after = r.At + min(max(d.After, 0), math.MaxInt64-r.At)
	n := min(max(d.Limit, r.Min, 1), r.Max)
	switch d.Reason.Kind {
	case control.Grow, control.Shrink:
		g.stands = d.Reason.To
	case control.Probe, control.Stay:
		g.stands = d.Reason.From
	default:
		if !d.Experiment {
			g.stands = n
		}
	}
	if g.l.hand == 0 {
		g.veto.watch(g, d.Limit, n)
		g.note(d, n)
	}
	if !g.l.observe {
		g.set(n)
	}
}

// note keeps what the law decided; n is what became of its limit. A law may
// explain a decision some ticks after it took it, so the numbers are those of
// the explanation.
func (g *governor) note(d control.Decision, n int) {
	r, why := &g.r, d.Reason
	c := Change{At: r.At, From: r.Limit, To: n, Reason: why}
	switch {
	case why.Kind == control.None:
		return
	case (why.Kind == control.Grow || why.Kind == control.Shrink) && n != d.Limit && n == r.Limit:
		return // a move that the bounds forbid is none
	case g.l.observe:
		c.To = r.Limit
	case why.From < 1 || why.To < 1: // a law that leaves them out
	case why.Kind == control.Stay:
		c.From, c.To = why.From, why.From
	default:
		c.From, c.To = why.From, min(max(why.To, r.Min), r.Max)
	}
	g.keep(c)
}

// keep takes a decision down.
func (g *governor) keep(c Change) {
	g.log.add(c)
	if g.l.logger != nil {
		if len(g.untold) == changesKept { // the handler hangs
			g.untold = g.untold[1:]
		}
		g.untold = append(g.untold, c)
	}
}

func (g *governor) set(n int) {
	if n == g.l.sem.Limit() {
		return
	}
	g.l.ledger.limitChanged(time.Since(g.l.epoch))
	g.l.sem.SetLimit(n)
	g.seen.InFlight = g.l.sem.Counters().InFlight // with those who waited and are now admitted
}

func (g *governor) setByHand(n int) {
	defer g.tell()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.l.hand = n
	g.after = 0
	g.rouse()
	if n == 0 {
		return
	}
	from := g.l.sem.Limit()
	if n != from {
		g.keep(Change{At: g.r.At, From: from, To: n, Reason: control.Reason{Kind: control.Manual, From: from, To: n, Gain: math.NaN()}})
	}
	g.set(n)
}
