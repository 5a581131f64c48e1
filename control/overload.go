package control

import "time"

// Overload keeps a law below the limit at which the work says "too much", by outcomes
// such as 429, a timeout, or out of memory (Reading.Overloads).
//
// A refusal is not always the limit's fault: a flaky service refuses one unit in a
// hundred, whatever the limit. Overload therefore asks. When more is refused than usual
// it lowers the limit at once, and compares the share that is refused there with the
// share before:
//
//   - It is the same: the limit is not to blame. The old limit comes back, and this share
//     is usual from now on. The question is asked again after 2, 4, … 64 s.
//   - It is smaller: the limit goes down on until no more is refused than usual, and then
//     closes in from below on the highest limit that is borne. The lowest one that is
//     refused is tried again after 2, 4, … 64 s, and not before 100 units have succeeded
//     for each that it refused. When it is borne, Overload looks further up, by an eighth
//     at a time.
//
// Where the share rises slowly with the limit, a higher limit counts as refused if more
// than half of what it adds is: no more throughput is given up than refusals are saved.
//
// While a question is open the law is not asked, and that stretch is hidden from it: its
// next reading follows the one before without a gap. Reading.Overloads is always 0 for
// the law, and Reading.Max the highest limit borne. Any law will do but those that live
// by Overloads, such as [AIMD]: wrapped, they never see one. Without Overloads the
// decisions are those of the law, unchanged.
type Overload struct {
	law  Controller
	want int     // what the law asked for
	seen Reading // what it was shown last
	gap  Reading // totals of the stretches that it was not shown

	phase  phase
	limit  int           // in force
	level  int           // the highest limit whose units may report now
	until  time.Duration // until then units of an older limit may report,
	turned int64         // and until so many have ended
	mark   Reading       // where the present sample begins

	usual     share // what is refused anyway, while the law decides
	high, low share // at the limit in question, and at the highest one borne
	origin    int   // the limit in question, where the looks end

	safe, over int  // the highest limit borne and the lowest refused; 0: none is known
	known      int  // safe before the question
	top        int  // the looks stay below, or begin there; 0: there are none
	hit        bool // a look was refused

	every, review time.Duration // the pause between two questions, and when the next is due
	pause, retry  time.Duration // the same for tries of over
	paid          int64         // completions before the next try
}

// phase says what the limit in force is for.
type phase uint8

const (
	calm    phase = iota // the law decides
	asking               // does a lower limit refuse less?
	looking              // is a higher limit borne?
	resting              // the units in flight turn over
)

// NewOverload returns law, kept below the limit at which the work says "too much".
func NewOverload(law Controller) *Overload {
	return &Overload{law: law, usual: share{ended: shareKnown}, every: retryFirst}
}

// ReadsLatencies reports whether the law does (see [LatencyReader]).
func (o *Overload) ReadsLatencies() bool {
	l, ok := o.law.(LatencyReader)
	return ok && l.ReadsLatencies()
}

// Next asks the law, unless the limit is under question.
func (o *Overload) Next(r Reading) Decision {
	if o.limit == 0 {
		o.limit, o.mark = r.Limit, r
	}
	if why := o.step(r, between(o.mark, r)); o.phase != calm {
		return Decision{Limit: o.limit, Reason: why}
	}
	o.seen = r.less(o.gap)
	o.seen.Overloads = 0
	if o.over > 0 && (r.Max <= 0 || r.Max > o.safe) {
		o.seen.Max = max(o.safe, r.Min)
	}
	d := o.law.Next(o.seen)
	if o.want = d.Limit; o.over > 0 && d.Limit > o.seen.Max {
		if d.Limit = o.seen.Max; d.Limit == r.Limit && d.Reason.Kind == Grow {
			d.Reason = Reason{} // a move that comes to nothing, at each reading
		}
	}
	if o.over > 0 || o.usual.refused > 0 {
		d.After = 0
	}
	return d
}

// step goes on by a reading, with the sample up to it.
func (o *Overload) step(r Reading, here share) Reason {
	switch {
	case o.phase == calm:
		return o.watch(r, here)
	case o.phase == asking && here.of() > overloadMostly && here.refused > askPlenty*float64(o.limit) && o.lower(r) < o.limit:
		return o.move(r, o.lower(r), asking) // more than were in flight before: new ones, too
	case o.phase == looking && here.worse(o.low) && here.vain(o.limit, o.low, o.safe):
		o.refuse(r, here)
		o.hit, o.over, o.top = true, o.limit, o.limit
		return o.move(r, o.safe, resting)
	case !o.settled(r):
	case o.mark.At < o.until:
		o.mark = r
	case o.phase == resting && o.top > 0:
		return o.next(r)
	case o.phase == resting:
		o.phase, o.level, o.mark, o.gap = calm, r.Limit, r, r.less(o.seen)
	case r.Limit != o.limit: // set by hand, vetoed, or merely observed: it cannot be asked about
		return o.acquit(r, here)
	case o.phase == asking:
		return o.ask(r, here)
	default:
		return o.look(r, here)
	}
	return Reason{}
}

// watch learns what is usual while the law decides, and asks when more is refused.
func (o *Overload) watch(r Reading, here share) Reason {
	if r.Limit != o.limit {
		o.limit, o.level = r.Limit, max(o.level, r.Limit)
		o.settle(r)
	}
	more := here.more(o.usual)
	if o.settled(r) {
		if o.level = r.Limit; !more {
			o.safe = max(o.safe, o.level)
		}
	}
	alarm := shareAlarm * o.usual.bursts()
	if o.level > r.Limit {
		alarm *= 2 // the sample is of several limits
	}
	switch {
	case more && here.ended >= float64(o.level) && here.above(o.usual) >= alarm:
		if r.Limit == o.level {
			return o.down(r, here)
		}
		o.refuse(r, here) // the law has gone down by itself: what it left was too much
		o.safe, o.over, o.mark = r.Limit, o.level, r
	case !more || here.ended > shareMost:
		o.usual.follow(here)
		o.mark = r
	}
	switch {
	case o.usual.of() > 2*shareTrickle && r.Completed+r.Overloads > o.turned+shareMost && r.At >= o.review:
		return o.down(r, o.usual)
	case o.over > 0 && min(o.want, r.Limit, r.InFlight) >= o.safe && (r.Max <= 0 || r.Max >= o.over) && r.At >= o.retry && r.Completed >= o.paid:
		o.low, o.high, o.hit, o.pause = o.usual, share{}, false, 2*o.pause
		o.top, o.origin = o.over, int(riseNear*float64(o.over))
		return o.next(r)
	}
	return Reason{}
}

// refuse puts off the next try of a limit that was refused as here.
func (o *Overload) refuse(r Reading, here share) {
	o.pause = min(max(o.pause, retryFirst), retryMost)
	o.retry, o.paid = r.At+o.pause, r.Completed+int64(retryPrice*(here.refused-o.usual.of()*here.ended))
}

// less returns r with the totals of by taken off.
func (r Reading) less(by Reading) Reading {
	r.At, r.Bound, r.Others = r.At-by.At, r.Bound-by.Bound, r.Others-by.Others
	r.Completed, r.Units = r.Completed-by.Completed, r.Units-by.Units
	r.Timed, r.Residence, r.Residence2 = r.Timed-by.Timed, r.Residence-by.Residence, r.Residence2-by.Residence2
	r.Occupancy, r.Runnable = r.Occupancy-by.Occupancy, r.Runnable-by.Runnable
	r.OwnCPU, r.MachineCPU = r.OwnCPU-by.OwnCPU, r.MachineCPU-by.MachineCPU
	r.Collections -= by.Collections
	return r
}
