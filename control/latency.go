package control

import (
	"fmt"
	"math"
	"time"
)

// Latency is the law for servers, where work arrives whether there is room or not. It
// maximises the goodput without a queue behind the limit: what cannot be served now
// should wait, or be refused, in front of it.
//
// It rests on J. D. C. Little's law (Operations Research 9(3), 1961): the units in
// flight are their rate times the time that each takes. If R0 is the time without load
// and X the highest rate, X·R0 units keep everything busy without a queue, and more
// only make all of them slower. That is the knee where throughput over time is best (L.
// Kleinrock, ICC 1979). With R, the mean time in flight in a window,
//
//	R < (1+slack)/2·R0  nothing queues: the limit rises, at most to twice
//	R > 1.1·slack·R0    units queue: the limit becomes slack·X·R0
//
// R0 is measured. Now and then, while the limit is binding, the law lowers it to 0.6.
// If units take less time in proportion they had been queueing, and the limit goes
// further down. Otherwise their present time is R0, and the limit goes back. After a
// cut the law checks the same: if units take as long as before, the work has become
// slower, so the cut is undone, and R0 is the present time. So neither a long overload
// nor changing work misleads the law. Laws that take a mean or the least of old times
// for R0 are misled by both.
//
// Outcomes that say "too much" do not count. NewOverload(NewLatency()) heeds them, and
// servers use that. A cut for each window with many of them would let one client whose
// requests all end like this keep the limit at 1 for everybody.
//
// If its decisions are not put in force, as in a Limiter that only observes, the law
// cannot measure R0, and takes the first or the least time that it sees: it misses a
// permanent queue. A move that had no effect is requested again, but reported once,
// until it changes.
//
// Set the fields before the first call of Next. The file servers.md of this package has
// the reason of every constant.
type Latency struct {
	// Slack is how many times R0 units may take. It is above 1, because a limit without
	// any queue lets servers idle for a moment whenever one has finished. NewLatency
	// sets 1.25, which also holds if Slack is below 1.
	Slack float64
	Max   int // highest limit decided; 100,000 if not set

	unloaded float64 // R0, s; 0: not known
	window   latencyWindow
	ramping  bool          // the limit has only grown
	stood    bool          // nothing queued in the window before, at the same limit
	down     *descent      // the limit was lowered, and the effect is not judged yet; nil: nothing to judge
	told     Reason        // of the last move
	vain     bool          // it was not put in force, and no bound says why
	probeAt  time.Duration // when to look at R0 next
	probes   time.Duration // and how long after that
}

const (
	// defaultSlack leaves a fifth of the units in a queue behind the limit: three
	// times the error of a window, so that the knee can be seen.
	defaultSlack = 1.25
	// slackError is the error of R allowed for, with windows of 6 %.
	slackError = 0.1
	// latencyError ends a window: the standard error of its mean, relative.
	latencyError = 0.06
	// mostLatencyUnits and mostLatencyWindow end one that is still less exact:
	// capacity that halves must be answered within 5 s, by some four windows.
	mostLatencyUnits  = 400
	mostLatencyWindow = time.Second
	mostLatencyTimes  = 2.0 // times R, if that is longer
	rampError         = 0.1 // is enough while the limit is being doubled
	// settlesIn is how many times R it takes, after the limit has changed,
	// until only units that it admitted are in flight.
	settlesIn = 1.5
	// rampPace is the factor in each window as long as nothing is known.
	rampPace = 2.0
	// gentlyTo is what a window leaves of a limit that does not bind.
	gentlyTo = 0.75
	// alikeFrom is the least part of a higher limit at which a lower one counts as the
	// same: what two windows ask for differs by less, unless something has changed.
	alikeFrom = 0.8
	// If the limit was binding for boundTime of a window, it held the work back. If it was
	// for saturatedShare, or had as much of it in use, there was more work than could be
	// done, so a look at a lower limit turns away no unit that would have been served.
	boundTime      = 0.5
	saturatedShare = 0.9
	// atLeastUnits is where a mean begins to mean something.
	atLeastUnits = 10
)

// NewLatency returns the law. It begins at the limit in force.
func NewLatency() *Latency { return &Latency{Slack: defaultSlack} }

// Unloaded returns R0, the time in flight without load that the law assumes. It is 0
// before the first window.
func (l *Latency) Unloaded() time.Duration { return time.Duration(l.unloaded * float64(time.Second)) }

// Next takes one step when a window is over; otherwise it keeps the limit. A window
// takes at least 0.1 s, the time in flight, and ten units. It ends when the mean is
// known to 6 %, or after a second (or twice that mean).
func (l *Latency) Next(r Reading) Decision {
	if !l.window.begun {
		l.ramping, l.probes = true, firstProbe
		l.window.begin(r, 0)
		return Decision{Limit: r.Limit, After: again, Reason: Reason{Kind: Start, From: r.Limit, To: r.Limit, Gain: math.NaN()}}
	}
	if r.Limit != l.told.From {
		l.vain = false
	}
	if asked := l.window.from.Limit; r.Limit != asked {
		// The caller clamped it, a user moved it, or it was not put in force.
		l.vain = r.Limit == l.told.From && r.Limit != within(asked, r)
		if l.trying() {
			l.down = nil // it cannot show what was to be learnt
		}
		l.window.begin(r, l.settle())
	}
	t, ok := l.window.end(r, l.ramping)
	if !ok {
		d := goOn(r)
		d.Experiment = l.trying()
		return d
	}
	d := l.step(t, r)
	l.stood = d.Limit == r.Limit && !l.queues(t)
	d.Limit, d.After = min(max(d.Limit, 1), orDefault(l.Max, defaultMax)), again
	if d.Limit == r.Limit {
		l.window.again(r)
		return d
	}
	if l.vain && alike(d.Reason, l.told) {
		d.Reason = Reason{Gain: math.NaN()}
	} else {
		l.told = d.Reason
	}
	r.Limit = d.Limit
	l.window.begin(r, l.settle())
	return d
}

// within returns the limit that the bounds make of n.
func within(n int, r Reading) int {
	if r.Max > 0 {
		n = min(n, r.Max)
	}
	return max(n, r.Min, 1)
}

// alike reports whether two moves differ only by the errors of a window.
func alike(a, b Reason) bool {
	return a.Kind == b.Kind && a.From == b.From && float64(min(a.To, b.To)) >= alikeFrom*float64(max(a.To, b.To))
}

// settle returns how long units of an older limit still show in the figures.
func (l *Latency) settle() time.Duration {
	return time.Duration(settlesIn * l.window.last * float64(time.Second))
}

// step decides by a window.
func (l *Latency) step(t latencyTrip, r Reading) Decision {
	// If nothing was timed, or the sensors contradict each other, the rate is
	// unknown.
	known := t.time > 0 && t.load >= 0 && t.load/t.time < math.MaxInt32
	if l.down != nil && known && l.down.ready(t) {
		if d, ok := l.judge(t, r); ok {
			return d
		}
	} else if l.unloaded == 0 {
		l.unloaded = t.time
	} else if known && t.time < l.unloaded*(1-max(slackError, 3*t.error)) {
		// R0 may have been measured with a queue. Three errors, because the least of
		// many windows is far below the mean.
		l.unloaded = t.time
		l.probes, l.probeAt = firstProbe, r.At
	}
	switch {
	case !known:
		d := move(t.limit, t.limit, 0, "")
		d.Experiment = l.trying()
		return d
	case l.queues(t) && l.stood:
		// Something has changed, and this window still contains part of the
		// time before. The next one does not, and shows how far to go.
		return move(t.limit, t.limit, 0, "")
	case l.queues(t):
		return l.cut(t)
	case t.bound && (l.ramping || t.time < (1+l.slack())/2*l.unloaded):
		return l.grow(t)
	}
	d := l.stop(t, t.limit, "")
	if to, ok := lookAt(t, r); ok && t.full && r.At >= l.probeAt {
		return l.lower(t, to)
	}
	return d
}

// queues says whether units take too long.
func (l *Latency) queues(t latencyTrip) bool {
	return t.time > l.slack()*l.unloaded*(1+max(slackError, 2*t.error))
}

// stop ends growing and descending, and puts the given limit in force.
func (l *Latency) stop(t latencyTrip, to int, note string) Decision {
	l.down, l.ramping = nil, false
	return move(t.limit, max(1, to), 0, note)
}

// cut lowers the limit because units queue. If the limit did not bind, the rate
// is that of the arrivals and says nothing: it is then lowered by steps until it
// binds.
func (l *Latency) cut(t latencyTrip) Decision {
	down := l.down
	if t.bound {
		down = down.after(t)
	}
	to := l.knee(t.load/t.time, l.slack())
	if !t.bound {
		to = max(to, int(gentlyTo*float64(t.limit)))
	}
	d := l.stop(t, min(to, t.limit), l.words(t))
	l.down = down
	return d
}

// grow raises the limit because nothing queues: to twice as much as long as the limit has
// only grown, later to what Little's law says.
func (l *Latency) grow(t latencyTrip) Decision {
	to := float64(l.knee(t.load/t.time, l.slack()))
	if l.ramping {
		to = max(to, rampPace*float64(t.limit))
	}
	l.down = nil
	return move(t.limit, max(t.limit, int(math.Ceil(to))), 0, l.words(t))
}

// knee returns how many units are in flight at a rate if each takes R0 times the
// given factor. The rate is that of all units, their number in flight over their
// time: those that ended without success took room as well.
func (l *Latency) knee(rate, times float64) int {
	return max(1, int(min(math.Ceil(times*rate*l.unloaded-1e-6), math.MaxInt32)))
}

func (l *Latency) words(t latencyTrip) string {
	return fmt.Sprintf("units take %s, %s without load", shortly(t.time), shortly(l.unloaded))
}

func (l *Latency) slack() float64 {
	if !(l.Slack >= 1) {
		return defaultSlack
	}
	return l.Slack
}
