package main

import (
	"time"

	"github.com/sweetspot-go/sweetspot/control"
)

// cpus is how many the callers' machine has. Limits start there.
const cpus = 4

// A machine is where the caller runs. The work is remote: it uses none of the
// caller's CPUs, and neither does anybody else.
type machine struct {
	maxLimit int
	seed     uint64 // of the beat of the ticks
	slower   int    // ticks are so many times as long, for work in which nothing happens for minutes; 0: as they are
}

// linuxTick is the step of a process's CPU time, s: CONFIG_HZ is 250 in the kernels of
// Debian and Ubuntu.
const linuxTick = 0.004

// A governor closes the loop of a limiter, as the one of [sweetspot.Limiter] does:
// it ticks only while units are in flight, asks the law no sooner than that wants,
// but at once if a unit was overloaded, and clamps what it says.
type governor struct {
	l   *limiter
	law control.Controller // nil: none
	m   machine

	running, idle, soon bool
	beat                int
	last, after         time.Duration
	inFlight            int   // at the newest tick
	ended, heard        int64 // units, and those that were overloaded, at the newest tick
	read                control.Reading
}

func (g *governor) wake() {
	if g.running || g.law == nil {
		return
	}
	g.running, g.idle, g.last, g.inFlight = true, false, g.l.clock.now, g.l.inFlight
	g.l.clock.after(g.interval(), g.tick)
}

// interval returns the time to the next tick: the beats of the governor of the
// root package, 10 ms on average, half of that for a law in a hurry.
func (g *governor) interval() time.Duration {
	beats := [...]time.Duration{10, 8, 12, 7, 11, 13, 9}
	g.beat++
	d := beats[g.beat%len(beats)] * time.Millisecond * time.Duration(max(1, g.m.slower))
	if g.soon {
		d /= 2
	}
	return d
}

func (g *governor) tick() {
	if g.rest() {
		return
	}
	g.sense()
	if r := &g.read; r.At >= g.after || r.Overloads != g.heard || r.Limit > r.Max {
		d := g.law.Next(*r)
		g.soon, g.after = d.Soon, r.At+max(d.After, 0)
		g.l.setLimit(min(max(d.Limit, r.Min), r.Max))
	}
	g.heard = g.read.Overloads
	g.l.clock.after(g.interval(), g.tick)
}

// rest ends the ticks if nothing was in flight for a whole tick.
func (g *governor) rest() bool {
	ended := g.read.Completed + g.read.Ignored + g.read.Overloads
	busy := g.l.inFlight > 0 || len(g.l.queue) > 0 || ended != g.ended
	g.ended = ended
	g.running = busy || !g.idle
	g.idle = !busy
	return !g.running
}

// sense brings the reading up to date but for what the limiter counts in it.
func (g *governor) sense() {
	l, r := g.l, &g.read
	dt := l.clock.now - g.last
	r.At += dt
	r.Occupancy += dt.Seconds() * float64(g.inFlight+l.inFlight) / 2
	g.last, g.inFlight = l.clock.now, l.inFlight
	r.Limit, r.Min, r.Max = l.limit, 1, g.m.maxLimit
	r.InFlight, r.Waiting = l.inFlight, len(l.queue)
	r.Units, r.Timed = float64(r.Completed), r.Completed
	r.Bound = l.bound().Seconds()
	r.CPUs, r.Tick = float64(cpus), linuxTick
}
