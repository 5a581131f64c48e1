package control

import "time"

// Overload keeps a law below the limit at which the work says "too much", by outcomes
// such as 429, a timeout, or out of memory (Reading.Overloads).
//
// A refusal is not always the limit's fault: a flaky service refuses one unit in a
// hundred, whatever the limit. So when more is refused than usual, Overload compares
// limits, each with the share that was refused at the one before:
//
//   - The limit goes down at once, and further down while much is refused there. If the
//     share stays the same, the limit is not the cause: it comes back, and this share
//     is usual from now on.
//   - If the share is smaller, the higher limit is tried once more. If it is tolerated
//     now, that was a burst, and everything is as before.
//   - If it is refused again, trials between the two close in on the highest tolerated
//     limit.
//
// A higher limit is refused if a good part of what it adds is refused: where the share
// rises slowly, little throughput is given up. The lowest limit refused is tried again
// after 2, 4, … 64 s, and not before 100 units have ended for each that it refused. If
// it is tolerated then, trials rise by an eighth at a time. If much is usually refused,
// a lower limit is tried alternately.
//
// During a question the wrapped law is not asked, and that stretch is hidden from it:
// its next reading follows the one before without a gap. The law always sees 0 in
// Reading.Overloads, and the highest tolerated limit in Reading.Max. Any law will do,
// except those that need Overloads, such as [AIMD]: wrapped, they never see one.
// Without Overloads the decisions are those of the law, unchanged.
type Overload struct {
	law   Controller
	want  int // what the law asked for
	shown shown

	mark       Reading // where the present sample begins
	level      int     // the highest limit in the sample
	usual, ref share   // what is refused while the law decides, and at base

	trial       bool          // limit is compared with base
	limit, goal int           // in force while the law waits, and what ends the question when it is borne
	until       time.Duration // until then units of an older limit may report

	base, over int // the highest limit borne, or in question, and the lowest refused; 0: none is known

	pause, retry time.Duration // between two questions without a cause, and when the next is due
	paid         int64         // completions before over is tried again
}

// NewOverload returns law, kept below the limit at which the work says "too much".
func NewOverload(law Controller) *Overload {
	return &Overload{law: law, usual: share{ended: shareKnown}, pause: retryFirst}
}

// LateAfter returns that of the wrapped law, 0 if it has none (see [LatencyReader]).
func (o *Overload) LateAfter() time.Duration {
	if l, ok := o.law.(LatencyReader); ok {
		return l.LateAfter()
	}
	return 0
}

// Next asks the law, unless the limit is in question.
func (o *Overload) Next(r Reading) Decision {
	r.Ignored += r.Overloads // as which the law may know them
	if o.want == 0 {
		o.want = r.Limit // until the law has been asked
	}
	var why Reason
	switch here := between(o.mark, r); {
	case o.trial:
		why = o.judge(r, here)
	case r.At >= o.until:
		why = o.watch(r, here)
	default:
		o.mark = r
	}
	if o.trial || r.At < o.until {
		o.shown.hide(r)
		return Decision{Limit: o.limit, Experiment: o.trial, Reason: why}
	}
	o.shown.show(r)
	seen := &o.shown.last
	seen.Overloads = 0
	if o.over > 0 && (r.Max <= 0 || r.Max > o.base) {
		seen.Max = max(o.base, r.Min)
	}
	d := o.law.Next(*seen)
	o.want = d.Limit
	if o.over > 0 && d.Limit > seen.Max {
		d.Limit, d.Reason = seen.Max, Reason{} // the law may say so at each reading
	}
	return d
}
