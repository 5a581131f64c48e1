package control

import (
	"math"
	"time"
)

// A descent is a limit that was lowered, once or several times in a row, and what
// it shows of the time that units take without a load.
type descent struct {
	first  latencyTrip // before it
	last   latencyTrip // before its newest step
	most   float64     // the best rate on the way, 1/s
	trying bool        // it was begun to learn that time, not because units queued
}

const (
	// lowersTo is the factor by which the limit is lowered to learn R0. With the usual
	// slack that leads to 3/4 of the knee. The logarithm of the time has then fallen by
	// 0.22, which is 0.44 of the fall of the limit's logarithm. If the knee is lower
	// still, both fall by the same.
	lowersTo = 0.6
	// fallsBy is in the middle between 0.44 and 1: if the logarithm of the time falls
	// by this part of the limit's or more, units queue at the lower limit, too.
	fallsBy = 0.7
	// judgedBelow is how far the limit must have been cut for that question: a time
	// that falls as much falls by four times its error.
	judgedBelow = 0.75
	// firstProbe and lastProbe are how long the law waits from one look at R0 to
	// the next: four times as long each time that it finds what it knew. A look takes
	// some 0.4 s and costs a quarter of the goodput for that long.
	firstProbe = time.Second
	lastProbe  = 64 * time.Second
	probesGrow = 4
	probeTimes = 10 // times R at least, because a look takes as long as some of these
)

// after returns the descent with one more step, which begins where t was seen. A nil
// descent begins with it.
func (d *descent) after(t latencyTrip) *descent {
	next := descent{first: t}
	if d != nil {
		next = *d
	}
	next.most = max(next.most, t.load/t.time)
	if d == nil || d.trying || t.time >= d.last.time {
		next.last = t // otherwise small cuts add up until they can be judged
	}
	return &next
}

// ready reports whether t is seen far enough below to be judged.
func (d *descent) ready(t latencyTrip) bool {
	return t.limit < d.last.limit && (d.trying || float64(t.limit) <= judgedBelow*float64(d.last.limit))
}

// fell returns how the time fell with the limit: 1 is in proportion.
func (d *descent) fell(t latencyTrip) float64 {
	return math.Log(d.last.time/t.time) / math.Log(float64(d.last.limit)/float64(t.limit))
}

func (l *Latency) trying() bool { return l.down != nil && l.down.trying }

// lookAt returns the limit at which to look at R0; ok is false where the bounds
// leave none so far below that something could be seen.
func lookAt(t latencyTrip, r Reading) (to int, ok bool) {
	to = max(int(lowersTo*float64(t.limit)), r.Min, 1)
	return to, float64(to) <= judgedBelow*float64(t.limit)
}

// lower lowers the limit to learn R0.
func (l *Latency) lower(t latencyTrip, to int) Decision {
	l.down = l.down.after(t)
	l.down.trying = true
	return Decision{Limit: to, Experiment: true, Reason: Reason{
		Kind: Probe, From: t.limit, To: to, Gain: math.NaN(), Note: "measures the time in flight without load",
	}}
}

// judge says what a lower limit has shown of R0. It returns false if nothing speaks
// against that limit.
func (l *Latency) judge(t latencyTrip, r Reading) (Decision, bool) {
	down := l.down
	queued := t.bound && down.fell(t) >= fallsBy
	to, lower := lookAt(t, r)
	switch {
	case queued && !down.trying:
		l.down = nil
		return Decision{}, false
	case queued && lower:
		return l.lower(t, to), true
	case !t.bound: // the load has gone
		l.unloaded = min(l.unloaded, t.time)
	case math.Abs(t.time/l.unloaded-1) <= max(slackError, 2*t.error):
		l.unloaded = (l.unloaded + t.time) / 2
		l.probes = min(probesGrow*l.probes, lastProbe)
	default:
		l.unloaded, l.probes = t.time, firstProbe
	}
	l.down, l.probeAt = nil, r.At+max(l.probes, time.Duration(probeTimes*t.time*float64(time.Second)))
	from := down.first
	to = from.limit
	if t.bound {
		to = min(l.knee(max(down.most, t.load/t.time), l.slack()), int(rampPace*float64(to)))
	}
	d := move(from.limit, to, 0, l.words(t))
	if to == from.limit {
		d.Reason = Reason{Kind: Stay, From: to, To: t.limit, Gain: t.rate/from.rate - 1, Note: l.words(t)}
	}
	return d, true
}
