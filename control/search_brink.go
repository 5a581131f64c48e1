package control

import (
	"math"
	"math/bits"
)

// A brink is the limit at which the work begins to say "too much": a server that
// refuses what is over a number, a quota, a queue that runs full. Doubling finds
// it from below, halving what is between (on a scale of ratios) closes in on it,
// and then the search stays right below: throughput says nothing there, for what is refused
// does not slow down the rest.
//
// It is tried again now and then, as it may have moved. Up to the limit that is usually
// borne that is soon, for what refuses there is mostly a server that was short for a
// moment; and beyond it ever more rarely while the brink has not moved, since each look
// there may set the server itself to looking for its limit. So does CUBIC, which comes
// back fast to the window of the last loss and is slow to leave it (RFC 9438). What was
// refused is the price, and that stays below one percent of what succeeds, unless it
// would take many minutes until then.
type brink struct {
	safe, over int     // the highest limit borne, and the lowest one refused; over is 0 while none is known
	due        float64 // when over may be tried again, once safe is next to it
	pause      float64 // s
	paid       float64 // when it may be tried again, however much was refused
	since      float64 // when it was found near where it is
	mark       float64 // the limit that is usually borne
	gone       bool    // a brink was known and is borne
	before     int     // a higher limit whose units may still be in flight
	until      float64 // as long as that is so

	completed, refused int64 // totals when over was last refused

	octaves [18]times // by the limit
}

// times sum up how long units were in flight, newer ones for more.
type times struct{ units, sum, at float64 }

const (
	// brinkFirst is long against the half second for which a server looks about, s.
	brinkFirst = 2
	// brinkMemory is of the limit that is usually borne: some times as long as a server
	// is short for a moment, s.
	brinkMemory = 10
	// brinkNear is the ratio within which a brink is where it was: less than a capacity
	// that halves or doubles, more than a server moves that looks for its own limit.
	brinkNear = 1.6
	// brinkRise is the step, as a share of the limit, by which it rises where a brink was
	// close: a server that adapts follows a small one and refuses half of a double one.
	brinkRise = 0.125
	// brinkLook is how many units must succeed for each that was refused before the
	// next look: half of what the bar allows to be refused in all.
	brinkLook = 100
	// brinkMost bounds the pauses, s: a service that has grown must be noticed.
	brinkMost = 64
	// brinkPatience bounds how much longer the next look waits for brinkLook, s: refusals can
	// be a thousand times as quick as successes. Up to the limit that is usually borne, or
	// was a moment ago, it is brinkMemory: there they are not the price of a look.
	brinkPatience = 600
	// brinkPrice is how many units must succeed for each report that is let pass.
	brinkPrice = 200
	// brinkFine is the share of the limit down to which the brink is located.
	brinkFine = 32
	// brinkKeeps is how long what was seen further down is believed, s.
	brinkKeeps = 120
	// brinkQueue is how much longer units may take than at half the limit and less
	// while nothing queues: half of the units would have to be in a queue to halve
	// the limit without a loss.
	brinkQueue = 1.25
)

// settled reports whether the brink is right above the highest limit borne.
func (b *brink) settled() bool { return b.over > 0 && b.over-b.safe <= max(1, b.safe/brinkFine) }

// top returns the highest limit that may be tried now.
func (b *brink) top(r Reading) int {
	switch {
	case b.over == 0 && b.gone && float64(b.safe) < brinkNear*b.mark:
		return b.safe + max(1, int(brinkRise*float64(b.safe)))
	case b.over == 0:
		return math.MaxInt
	case !b.settled():
		return max(b.safe+1, int(math.Sqrt(float64(b.safe)*float64(b.over))))
	case r.At.Seconds() < b.due:
		return b.safe
	case r.At.Seconds() < b.paid && r.Completed-b.completed < brinkLook*(r.Overloads-b.refused):
		return b.safe
	}
	return b.over
}

// bear takes note of a window in which nothing was refused. It reports whether
// the brink is not any more where it was.
func (b *brink) bear(w window) (moved bool) {
	if w.comp >= 1 {
		t := &b.octaves[min(bits.Len(uint(w.n)), len(b.octaves)-1)]
		if t.units > 1000 || w.at > t.at+brinkKeeps/2 {
			t.units, t.sum = t.units/4, t.sum/4
		}
		t.units, t.sum, t.at = t.units+w.comp, t.sum+w.comp*w.r, w.at
	}
	if b.mark == 0 {
		b.mark = float64(w.n)
	}
	b.mark += (float64(w.n) - b.mark) * min(1, w.t/brinkMemory)
	b.safe = max(b.safe, w.n)
	if b.over == 0 || b.safe < b.over {
		return false
	}
	b.over, b.pause, b.gone = 0, 0, true
	return true
}

// leads reports whether fewer units than at the limit n can only do less: the
// limit is that of the brink, and units take no longer than far below, so that
// none of them is in a queue. There is no need to try then.
func (b *brink) leads(n int, now float64) bool {
	if !b.settled() || n < b.safe {
		return false
	}
	here := min(bits.Len(uint(n)), len(b.octaves)-1)
	var below times
	for _, t := range b.octaves[max(0, here-3):here] {
		if t.at > now-brinkKeeps {
			below.units, below.sum = below.units+t.units, below.sum+t.sum
		}
	}
	at := b.octaves[here]
	return below.units >= brinkKnown && at.units >= brinkKnown && at.sum*below.units < brinkQueue*below.sum*at.units
}

// brinkKnown units tell a mean within some 15 %, if they are as uneven as most.
const brinkKnown = 50

// changed takes note that the limit goes down from n, for units that take r: what
// they report belongs to n for a while.
func (b *brink) changed(n int, now, r float64) { b.before, b.until = n, now+r }

// hit takes note that something was refused at the limit n, the first time when
// refused had been until then. It returns the limit to go down to.
func (b *brink) hit(n int, r Reading, refused int64) int {
	now := r.At.Seconds()
	if now < b.until {
		n = max(n, b.before)
	}
	to := max(1, min(n-1, int(math.Ceil(0.7*float64(n)))))
	if b.safe > 0 && b.safe < n {
		to = b.safe // an experiment went too far
	}
	if f := float64(to); f > brinkNear*b.mark || f*brinkNear < b.mark {
		b.since, b.mark = now, f
	}
	b.pause = brinkFirst
	wait := float64(brinkMemory)
	if float64(n) > b.mark && b.since < now { // else it is usually borne, or was
		b.pause, wait = min(max(brinkFirst, now-b.since), brinkMost), brinkPatience
	}
	b.safe, b.over = to, max(n, to+1)
	b.due, b.until = now+b.pause, 0
	b.paid = b.due + wait
	b.completed, b.refused = r.Completed, refused
	return to
}
