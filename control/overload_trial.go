package control

import (
	"math"
	"time"
)

const (
	// oddsAlarm raises a question and oddsSure answers it. The first must be surer, since
	// it is judged at each reading, a hundred times a second, for ever. After trialTurns of
	// the units in flight, or trialMost, the odds decide as they are, and below oddsDoubt
	// for the higher limit, which may be borne.
	oddsAlarm, oddsSure, oddsDoubt = 12, 6, 2
	trialTurns, trialMost          = 32, 15 * time.Second
	// cutLeaves is what a cut leaves of the limit: the decrease of CUBIC (RFC 9438). Where
	// more than cutMostly is refused, and cutPlenty times the limit have been, the next cut is
	// due: finding out by how much would only cost time.
	cutLeaves, cutMostly, cutPlenty = 0.7, 0.5, 4
	// searchFine is the part of the limit down to which the highest one borne is located.
	searchFine = 32
	// riseStep is the step, as a part of the limit, in which trials rise above a limit that
	// is borne again, up to riseNear times as much. A server that adapts follows a small
	// step, and refuses half of a double one.
	riseStep, riseNear = 0.125, 1.6
	// retryFirst is long against the half second of a question, and a service that has grown
	// must be noticed within retryMost.
	retryFirst, retryMost = 2 * time.Second, 64 * time.Second
	// retryPrice is how many units must end for each that a trial had refused beyond the
	// usual, up to retryTurns of the units in flight: after a fall of the limit they come slowly.
	retryPrice, retryTurns = 100, 2000
	// lagTurns is how many times the mean time in flight units of an older limit may report.
	// lagLeast is three ticks, so that a change is in force in a reading; lagMost bounds the
	// wait for units that hang.
	lagTurns, lagLeast, lagMost = 1.5, 30 * time.Millisecond, 15 * time.Second
)

// watch learns what is usual while the law decides, and asks when more is refused. The
// more questions in a row, the surer it must be: bursts come again and again.
func (o *Overload) watch(r Reading, here share) Reason {
	o.level = max(o.level, r.Limit)
	x := here.worse(o.usual)
	if x <= 0 {
		o.usual.add(here, math.Exp(-here.ended/shareMemory))
		o.mark, o.level = r, r.Limit
	}
	switch {
	case x >= oddsAlarm*math.Sqrt(float64(o.pause/retryFirst)):
		return o.down(r, here)
	case r.At < o.retry:
	case o.usual.of() > shareTrickle && o.goal > o.base: // the last question was about a higher limit
		return o.down(r, o.usual)
	case o.over > 0 && r.Completed >= o.paid && min(o.want, r.Limit, r.InFlight) >= o.base && (r.Max <= 0 || r.Max >= o.over):
		o.ref, o.goal = o.usual, int(riseNear*float64(o.over))
		return o.move(r, o.over, true)
	}
	return Reason{}
}

// down begins the question whether a lower limit has fewer refusals than high, the share
// at this one.
func (o *Overload) down(r Reading, high share) Reason {
	home := max(1, min(o.level, r.InFlight+r.Waiting)) // less than the limit where that does not bind
	o.base, o.goal, o.ref = home, max(home, o.base), high
	// If the limit is to blame, it is too high by this share. Where that is little, a
	// small cut tells as much and costs less.
	return o.cut(r, home, 1-2*high.of())
}

// cut tries a part of the limit n.
func (o *Overload) cut(r Reading, n int, leaves float64) Reason {
	return o.move(r, max(min(n-1, int(math.Ceil(float64(n)*max(leaves, cutLeaves)))), r.Min, 1), true)
}

// judge decides by the sample at the limit in force whether the higher of it and base is
// to blame for refusals: whether the share is as it is at base, or as it would be if half
// of what the higher limit adds were refused.
func (o *Overload) judge(r Reading, here share) Reason {
	same := o.ref.of()
	down, lowest, clean := o.limit < o.base, o.limit <= max(r.Min, 1), o.mark.At >= o.until
	outage := down && here.refused == here.ended
	here.ended = max(here.refused, here.ended-1) // after an outage a sample begins with the success waited for
	x := here.odds(max(1-(1-same)*float64(o.base+o.limit)/float64(2*o.limit), same/3), same)
	x *= 1 - here.ended/(o.ref.ended+shareKnown+here.ended) // what was seen at base is a sample, too
	mostly := down && !lowest && here.of() > cutMostly && (outage || x > -oddsSure)
	switch {
	case r.Limit != o.limit: // set by hand, vetoed, or merely observed
		return o.back(r)
	case mostly && here.refused > cutPlenty*float64(o.limit):
		return o.cut(r, o.limit, 0)
	case r.At >= o.until && !clean, outage && lowest:
		o.mark = r // what came in before does not count, nor does an outage
	case !clean && (down || x < oddsSure), math.Abs(x) < oddsSure && here.ended < trialTurns*float64(o.limit) && r.At < o.mark.At+trialMost:
	case mostly, down && !lowest && here.worse(o.ref) > oddsSure:
		return o.cut(r, o.limit, 0)
	case x <= 0, !down && x < oddsDoubt: // not to blame
		o.base = max(o.base, o.limit)
		o.ref.add(here, 1)
		return o.next(r)
	case down:
		high := o.base
		o.base, o.ref = o.limit, here
		if !lowest && here.worse(share{ended: shareKnown}) > oddsSure {
			return o.cut(r, o.limit, 0)
		}
		return o.move(r, high, true)
	default:
		if o.limit != o.over {
			o.over, o.pause = o.limit, retryFirst
		}
		o.paid = r.Completed + int64((1-same)*min(retryPrice*(here.refused-same*here.ended), retryTurns*float64(o.base)))
		return o.next(r)
	}
	return Reason{}
}

// next tries a limit between base and over, or above base where none is known to be refused.
func (o *Overload) next(r Reading) Reason {
	switch gap := o.over - o.base; {
	case o.base >= o.goal, gap > 0 && gap <= max(1, o.base/searchFine):
		return o.back(r)
	case gap > 0:
		return o.move(r, max(o.base+1, int(math.Sqrt(float64(o.base)*float64(o.over)))), true)
	}
	return o.move(r, o.base+max(1, int(riseStep*float64(o.base))), true)
}

// back lets the law decide again, once the units in flight have turned over.
func (o *Overload) back(r Reading) Reason {
	to := o.want
	if o.over > o.base {
		to = min(to, o.base)
	} else {
		o.base, o.over = 0, 0
	}
	o.usual, o.retry, o.pause = o.ref, r.At+o.pause, min(2*o.pause, retryMost)
	return o.move(r, to, false)
}

// move puts a limit in force while the law waits: for a trial, or until the units in
// flight have turned over, because units of an older limit still report.
func (o *Overload) move(r Reading, n int, trial bool) Reason {
	lag := lagTurns * max(o.ref.lag(), o.usual.lag(), r.Residence/float64(max(1, r.Timed)))
	o.until = r.At + min(max(time.Duration(lag*float64(time.Second)), lagLeast), lagMost)
	o.trial, o.limit, o.level, o.mark = trial, n, 0, r
	why := Reason{Kind: Grow, From: r.Limit, To: n, Gain: math.NaN()}
	switch {
	case n == r.Limit:
		return Reason{}
	case n < r.Limit:
		why.Kind, why.Note = Overloaded, percent(o.ref.of())+" refused"
	case trial:
		why.Kind = Probe
	default:
		why.Note = percent(o.usual.of()) + " refused at both"
	}
	return why
}
