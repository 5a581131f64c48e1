package control

import (
	"math"
	"time"
)

const (
	// overloadLeaves is what a cut leaves of the limit: the decrease of CUBIC (RFC 9438).
	overloadLeaves = 0.7
	// overloadMostly: where more is refused than succeeds, the cut was not enough, and
	// there is no need to find out by how much.
	overloadMostly = 0.5
	// askUnits must end at a lower limit, and twice the limit, for its share to count.
	askUnits = 8
	// askPlenty ends the wait for an answer when so many times the units of the question
	// have ended. So many times the limit are more than were in flight before a cut.
	askPlenty = 4
	// lookTurns bounds a look: in 16 turns of the units in flight a server that takes one
	// less than the limit has refused 16. lookMost is the same where a turn is brief.
	lookTurns, lookMost = 16, 2 * time.Second
	// lookFine is the part of the limit down to which the highest one borne is located.
	lookFine = 32
	// riseStep is the step, as a part of the limit, in which the looks go on above a limit
	// that is borne again, up to riseNear times as much. A server that adapts follows a
	// small step, and refuses half of a double one.
	riseStep, riseNear = 0.125, 1.6
	// retryFirst is long against the half second for which a server looks about, and a
	// service that has grown must be noticed within retryMost.
	retryFirst, retryMost = 2 * time.Second, 64 * time.Second
	// retryPrice is how many units must succeed for each that a look had refused.
	retryPrice = 100
	// lagLeast is two ticks, so that a change is in force in a reading; lagMost bounds the
	// wait for units that hang, s.
	lagLeast, lagMost = 0.02, 10
)

// down goes to a lower limit, to ask whether it has fewer refusals than high, the share
// at this one.
func (o *Overload) down(r Reading, high share) Reason {
	if o.origin = o.level; r.Waiting == 0 { // the limit does not bind
		o.origin = max(1, min(o.level, r.InFlight))
	}
	if high == o.usual || o.every == 2*retryFirst {
		o.usual = share{ended: shareKnown} // it is in question, or has not been reviewed yet
	}
	o.high, o.hit, o.review, o.known = high, false, r.At+o.every, o.safe
	to := o.safe
	if to <= 0 || to >= o.origin {
		// If the limit is to blame, it is too high by this part. Where that is little, a
		// small cut tells as much and costs less.
		excess := high.of() - o.usual.of()
		to = max(cut(o.origin), min(o.origin-1, int(float64(o.origin)*(1-2*excess))))
	}
	if to = max(to, r.Min, 1); to < o.origin {
		return o.move(r, to, asking)
	}
	o.usual, o.mark = high, r // there is no lower limit
	return Reason{}
}

func cut(n int) int { return min(n-1, int(math.Ceil(overloadLeaves*float64(n)))) }

func (o *Overload) lower(r Reading) int { return max(cut(o.limit), r.Min, 1) }

// ask decides by the sample at a lower limit whether the limit is to blame: whether the
// share is nearer to what it would be then, or to what it was before.
func (o *Overload) ask(r Reading, low share) Reason {
	blamed := o.high.full(o.origin, low, o.limit)
	blamed.refused = max(blamed.refused, low.ended*o.high.of()/2) // half would be worth knowing in any case
	told := o.high.above(low) >= shareSure || o.high.above(blamed) >= 2*shareSure || low.ended >= askPlenty*o.high.ended
	fewer, worse := o.high.above(low) > low.above(blamed), low.worse(o.usual)
	switch lower := o.lower(r); {
	case low.refused > 0 && low.of() == 1 && lower == o.limit:
		o.mark = r // an outage: wait
	case (!told || low.ended < max(askUnits, 2*float64(o.limit))) && low.seconds < o.long().Seconds():
	case fewer && worse && lower < o.limit && o.high.vain(o.origin, low, o.limit):
		return o.move(r, lower, asking)
	case fewer:
		if o.low = low; !worse {
			o.low.add(o.usual, 1)
		}
		o.safe, o.top, o.pause, o.every = o.limit, o.origin, 0, retryFirst
		return o.next(r)
	default:
		return o.acquit(r, low)
	}
	return Reason{}
}

// acquit takes what was refused for usual, and reviews that from time to time.
func (o *Overload) acquit(r Reading, low share) Reason {
	o.review = r.At + o.every
	o.every = min(2*o.every, retryMost)
	o.usual, o.low, o.safe = o.high, share{}, max(o.safe, o.origin)
	o.usual.add(low, 1)
	return o.back(r)
}

// look waits until the limit in force can be said to be borne: until it would show if it
// served no more than the one below.
func (o *Overload) look(r Reading, here share) Reason {
	full := o.low.full(o.safe, here, o.limit)
	if full.above(o.low) >= shareSure && full.above(here) > here.above(o.low) || here.ended >= lookTurns*float64(o.limit) || here.seconds > o.long().Seconds() {
		if o.safe = o.limit; here.worse(o.low) {
			o.low = here
		} else {
			o.low.add(here, 1)
		}
		return o.next(r)
	}
	return Reason{}
}

// next looks at a limit between safe and top, or above a top that is borne.
func (o *Overload) next(r Reading) Reason {
	switch {
	case o.safe >= o.origin:
		if !o.hit && o.high.ended > 0 { // it is borne after all: that was a burst
			o.safe = max(o.safe, o.known)
			o.high.square = o.high.refused * o.high.refused
			o.low.add(o.high, 1)
		}
		return o.back(r)
	case o.safe >= o.top:
		return o.move(r, o.safe+max(1, int(riseStep*float64(o.safe))), looking)
	case o.top-o.safe > max(1, o.safe/lookFine):
		return o.move(r, max(o.safe+1, int(math.Sqrt(float64(o.safe)*float64(o.top)))), looking)
	case !o.hit:
		return o.move(r, o.top, looking)
	}
	return o.back(r)
}

// back lets the law decide again, once the units in flight have turned over.
func (o *Overload) back(r Reading) Reason {
	if o.low.ended > 0 {
		o.usual = o.low
	}
	to := o.want
	if o.top = 0; o.over > o.safe {
		to = min(to, o.safe)
	} else {
		o.over = 0
	}
	return o.move(r, to, resting)
}

// move puts a limit in force while the law waits.
func (o *Overload) move(r Reading, n int, p phase) Reason {
	why := Reason{Kind: Probe, From: r.Limit, To: n, Gain: math.NaN()}
	switch {
	case n == r.Limit:
		why = Reason{}
	case p == asking:
		why.Kind, why.Note = Overloaded, percent(o.high.of())+" refused"
	case n < r.Limit:
		why.Kind = Overloaded
	case p == resting:
		why.Kind, why.Note = Grow, percent(o.usual.of())+" refused, here and below"
	}
	o.phase, o.limit, o.mark = p, n, r
	o.settle(r)
	return why
}

// settle begins the wait for the units in flight to turn over: what an older limit let in
// goes on to report.
func (o *Overload) settle(r Reading) {
	o.until = r.At + o.lag()
	o.turned = r.Completed + r.Overloads + int64(r.InFlight)
}

func (o *Overload) settled(r Reading) bool {
	return r.At >= o.until && (r.Completed+r.Overloads >= o.turned || r.At >= o.until+lookMost)
}

// lag is how long units may be in flight.
func (o *Overload) lag() time.Duration {
	lag := max(o.high.lag(), o.usual.lag())
	if !(lag >= lagLeast) { // or not a number
		lag = lagLeast
	}
	return time.Duration(min(lag, lagMost) * float64(time.Second))
}

// long is how long a limit is looked at where few units end.
func (o *Overload) long() time.Duration { return max(lookMost, lookTurns*o.lag()) }
