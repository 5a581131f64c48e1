package loop

import (
	"math"
	"sync"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/limit"
)

// A governor sets the limit of a plant: every tick it takes a reading, asks the
// controller, and puts its answer in force. It ticks only while units are in
// flight, from a timer that is re-armed by each tick, so a loop needs no Close.
type governor struct {
	cfg   *Config
	plant *plant

	mu    sync.Mutex
	meter meter
	ticks ticks
	timer *time.Timer
	due   time.Duration // from the newest tick to the next
	idle  bool          // nothing was in flight at the newest tick
	gone  chan struct{} // closed by the tick that was due when the governor retired

	manual  int           // the limit that SetLimit fixed, 0 if the controller decides
	settled int           // the limit that the controller is at, experiments left aside; 0 before it was asked
	after   time.Duration // the controller wants no reading before this (in Reading.At)
	soon    bool          // it wants ticks at twice the pace

	ceilings ceilingLog
	rates    rates
	log      decisions
	records  records
}

func (g *governor) init(c *Config, p *plant) {
	g.cfg, g.plant = c, p
	g.records.logger, g.records.name = c.Logger, c.Name
	g.meter.init(p, c)
}

// wake starts the ticks. Units admitted before the timer is armed are counted by the next
// tick, because all counters are totals.
func (g *governor) wake() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.plant.awake.Load() {
		return
	}
	g.meter.resume()
	g.idle = false
	g.plant.awake.Store(true)
	g.ticks.begin()
	g.due = g.ticks.next(0, g.soon)
	// A new timer, since a Loop that outlives a synctest bubble may wake in
	// another one, and timers cannot.
	g.timer = time.AfterFunc(g.due, g.tick)
}

// hasten ends the sleep of a controller that wanted no reading.
func (g *governor) hasten() {
	if g.ticks.asleep.Load() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.rouse()
	}
}

// rouse is hasten with mu held.
func (g *governor) rouse() {
	if g.ticks.asleep.Load() && g.plant.awake.Load() && g.timer.Stop() { // else its tick is about to run
		d := g.ticks.next(0, g.soon)
		g.due = g.plant.clock() - g.meter.last + d
		g.timer.Reset(d)
	}
}

func (g *governor) tick() {
	if g.cfg.After != nil {
		defer g.cfg.After()
	}
	defer g.records.flush()
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.gone != nil {
		close(g.gone)
		g.gone = nil
		return
	}
	if g.plant.awake.Load() {
		g.step()
	}
}

func (g *governor) step() {
	now, c := g.plant.clock(), g.plant.sem.Counters()
	if g.rest(c) {
		return
	}
	r := &g.meter.r
	overloads := r.Overloads
	g.meter.read(now, c, g.due)
	g.bound()
	if r.At >= g.after || r.Overloads != overloads || g.outside() {
		g.decide()
	}
	g.rates.add(r)
	g.due = g.interval()
	g.timer.Reset(g.due)
}

// rest ends the ticks if nothing was in flight for a whole tick.
func (g *governor) rest(c limit.Counters) bool {
	if g.meter.busy(c) {
		g.idle = false
		return false
	}
	if !g.idle {
		g.idle = true
		return false
	}
	g.plant.awake.Store(false)
	// An Acquire that saw awake before the store relies on us: it has its
	// permit, so it is in flight now.
	if c := g.plant.sem.Counters(); c.InFlight > 0 || c.Waiting > 0 {
		g.plant.awake.Store(true)
		return false
	}
	g.ticks.end()
	return true
}

func (g *governor) interval() time.Duration {
	wanted := g.after - g.meter.r.At
	if g.meter.seen.InFlight == 0 {
		wanted = 0 // to see soon whether it rests
	}
	if g.idle {
		g.ticks.stretch = 0
	}
	return g.ticks.next(wanted, g.soon)
}

// retire ends the ticks. When it returns, no timer is armed, and no tick runs or will. Nothing
// may be in flight or come meanwhile.
func (g *governor) retire() {
	g.mu.Lock()
	gone := g.stop()
	g.mu.Unlock()
	if gone != nil {
		<-gone
	}
}

// stop is retire without the wait: it returns what the last tick will close, or
// nil if that is over. It holds mu.
func (g *governor) stop() chan struct{} {
	if !g.plant.awake.Load() {
		return nil
	}
	g.plant.awake.Store(false)
	g.ticks.end()
	if !g.timer.Stop() {
		// The timer has fired: its tick waits for mu, or is about to.
		g.gone = make(chan struct{})
	}
	return g.gone
}

func (g *governor) bound() {
	r := &g.meter.r
	r.Min, r.Max = g.cfg.Min, g.cfg.Max
	if ceiling := g.meter.env.Ceiling; ceiling > 0 {
		r.Max = max(1, min(r.Max, ceiling))
		r.Min = min(r.Min, r.Max)
	}
	if g.manual > 0 {
		r.Min, r.Max = g.manual, g.manual
	}
}

// outside reports whether the limit in force breaks a bound, such as a ceiling
// that has just fallen. That cannot wait until the controller wants the next reading.
func (g *governor) outside() bool {
	r := &g.meter.r
	return !g.cfg.Observe && (r.Limit < r.Min || r.Limit > r.Max)
}

// decide asks the controller and puts its answer in force.
func (g *governor) decide() {
	r := &g.meter.r
	d := g.cfg.Controller.Next(*r)
	g.soon = d.Soon
	g.after = r.At + min(max(d.After, 0), math.MaxInt64-r.At)
	n := min(max(d.Limit, r.Min, 1), r.Max)
	switch d.Reason.Kind {
	case control.Grow, control.Shrink:
		g.settled = d.Reason.To
	case control.Probe, control.Stay:
		g.settled = d.Reason.From
	default:
		if !d.Experiment {
			g.settled = n
		}
	}
	if g.manual == 0 {
		g.noteCeiling(d.Limit, n)
		g.note(d, n)
	}
	if !g.cfg.Observe {
		g.meter.setLimit(n)
	}
}

// noteCeiling keeps that a ceiling made n of the limit that was decided.
func (g *governor) noteCeiling(decided, n int) {
	r, env := &g.meter.r, &g.meter.env
	binds := env.Ceiling > 0 && r.Max < g.cfg.Max && decided >= r.Max
	if !g.ceilings.see(r.At, binds, n) {
		return
	}
	d := Decision{At: r.At, From: r.Limit, To: n, Reason: control.Reason{
		Kind: control.Vetoed, From: r.Limit, To: n, Gain: math.NaN(), Note: env.Why,
	}}
	if g.cfg.Observe {
		d.To = r.Limit
	}
	g.keep(d)
}

// note keeps what the controller decided; n is what became of its limit. A controller may
// explain a decision some ticks after it took it, so the numbers are those of
// the explanation.
func (g *governor) note(d control.Decision, n int) {
	r, why := &g.meter.r, d.Reason
	k := Decision{At: r.At, From: r.Limit, To: n, Reason: why}
	switch {
	case why.Kind == control.None:
		return
	case (why.Kind == control.Grow || why.Kind == control.Shrink) && n != d.Limit && n == r.Limit:
		return // the bounds do not let it move
	case g.cfg.Observe:
		k.To = r.Limit
	case why.From < 1 || why.To < 1: // a controller that leaves them out
	case why.Kind == control.Stay:
		k.From, k.To = why.From, why.From
	default:
		k.From, k.To = why.From, min(max(why.To, r.Min), r.Max)
	}
	g.keep(k)
}

func (g *governor) keep(d Decision) {
	g.records.add(g.log.add(d))
}

// setManual fixes the limit at n; 0 hands it back to the controller.
func (g *governor) setManual(n int) {
	defer g.records.flush()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.manual = n
	g.after = 0
	g.rouse()
	if n == 0 {
		return
	}
	if from := g.plant.sem.Limit(); n != from {
		g.keep(Decision{At: g.meter.r.At, From: from, To: n, Reason: control.Reason{Kind: control.Manual, From: from, To: n, Gain: math.NaN()}})
	}
	g.meter.setLimit(n)
}
