package control

import "time"

// Objective lets a law raise the limit only as far as nearly all units are quick: 99 in 100
// take no longer than a given time (their p99). So a law that looks for the most throughput
// finds the most that there is with that p99. Any law will do, in [Overload] or not.
//
// It judges windows of a second and a hundred timed units. A window misses the
// objective if more than one unit in 100 takes too long.
//
//   - The limit falls as p99 is too long, at least by 6 % and at most by half, as soon as the
//     late units say that too many windows will miss here, or when a window misses and 48 or
//     more must still hold, 24 for each that missed: after two misses in a row, or three
//     with at most 24 holds between them. One window that misses by chance does not lower it.
//     Units that were admitted at an older limit do not count.
//   - The limit rises once the late units say that hardly any window will miss here, for
//     which some windows are enough: by 6 %, then by 12 %, and so on. It rises close to where
//     it fell only once 24 windows have held for each that missed, so p99 is held in about 24
//     of 25. If p99 is far below the objective, steps are larger, up to the double.
//   - If units take as long at 0.7 of the limit, or p99 is too long at the lowest, no
//     limit satisfies the objective. A decision of kind [Stay] then says so: the units
//     themselves take too long, and neither a lower limit nor more replicas help. The
//     limit goes back to what it was. For 8 s at first and up to 64 s, or ten times as
//     long as that took, it only keeps units from queueing. Then the objective is tried
//     again.
//
// The limit also falls for units that are late for other reasons, such as a neighbour.
//
// While the limit falls, the wrapped law is not asked, and that stretch is hidden from it:
// its next reading follows the one before without a gap. At other times it sees all that
// there is, the highest limit that it may decide in Reading.Max, and in Reading.Eager that
// any gain is wanted. The law need not take part in this: where the limit rises, a law that
// stands at the highest one goes with it.
//
// Only timed units count. With few of them windows are long: below 100 a second, a
// hundred units. While no window misses, the decisions are those of the law.
type Objective struct {
	law Controller
	p99 time.Duration

	want  int // what the law asked for
	at    int // the limit from which on the law stands at the ceiling; 0: it stands below
	shown shown

	ceiling float64       // the highest limit; 0: none
	from    stretch       // the window
	begun   bool          // it has
	until   time.Duration // until then units of an older limit may end
	peak    int           // most units in flight in the window
	units   float64       // in the window before
	looked  stretch       // since the ceiling last changed, or some windows ago

	// How much likelier it is that too many windows miss here than few enough, and that hardly
	// any misses: logarithms, at least 0.
	tooMany, few float64
	stride       float64 // the next step up

	before        float64 // late units of the last window at this limit; below 0: there is none
	differ, lates float64 // sums of how much such windows differ, squared, and of their late units

	holds int     // windows that held since then
	bad   float64 // the limit that missed last
	debt  int     // how many must hold to make up for those that missed
	down  bool    // the limit has been lowered, and no window has held since
	first attempt // where the limit began to fall

	pause, retry time.Duration // how long the objective is given up, and until when
	alone        float64       // mean time in flight without a queue, as seen then, s
}

// An attempt is what was seen at a limit that missed.
type attempt struct {
	limit   float64 // 0: there is none
	ceiling float64
	mean    float64 // time in flight, s
	at      time.Duration
	falls   int // so far
}

// A LatencyReader is a [Controller] that wants to know how long units take. If LateAfter
// returns a time above 0 at first, its owner provides Reading.Latencies, and Reading.Late:
// how many take longer. Other controllers cost nothing.
type LatencyReader interface {
	Controller
	LateAfter() time.Duration
}

// NewObjective returns law, at limits where 99 in 100 units take no longer than p99. It
// panics if law is nil or p99 is not above 0.
func NewObjective(law Controller, p99 time.Duration) *Objective {
	if law == nil || p99 <= 0 {
		panic("control: NewObjective: want a law and a time above 0")
	}
	return &Objective{law: law, p99: p99}
}

// LateAfter returns the time of the objective.
func (o *Objective) LateAfter() time.Duration { return o.p99 }

// Next asks the law, unless the limit is falling.
func (o *Objective) Next(r Reading) Decision {
	why := o.judge(r)
	if o.want == 0 {
		o.want = r.Limit
	}
	if o.down {
		o.shown.hide(r)
		return Decision{Limit: o.within(o.want), After: again, Reason: why}
	}
	if why.Kind != None { // the law may have something to say as well
		return Decision{Limit: o.within(o.want), After: again, Reason: why}
	}
	o.shown.show(r)
	seen := &o.shown.last
	seen.Eager = true
	if most := int(o.ceiling); most > 0 && (r.Max <= 0 || r.Max > most) {
		seen.Max = max(most, r.Min)
	}
	d := o.law.Next(*seen)
	o.want = d.Limit
	if most := int(o.ceiling); most > 0 {
		switch {
		case d.Limit >= most:
			o.at = most
		case !d.Experiment && d.Limit < o.at:
			o.at = 0
		}
		if n := o.within(d.Limit); n != d.Limit {
			d.Limit, d.Reason = n, Reason{} // the law may say so at each reading
		}
	}
	d.After = min(d.After, again)
	return d
}

// within returns the limit that the ceiling makes of n, which the law asked for. A law that
// stands where the ceiling was goes up with it.
func (o *Objective) within(n int) int {
	most := int(o.ceiling)
	if most > 0 && (n > most || o.at > 0 && n >= o.at) {
		return most
	}
	return n
}
