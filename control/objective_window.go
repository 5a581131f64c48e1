package control

import (
	"fmt"
	"math"
	"time"
)

const (
	// objectiveShare of the units may be late: p99.
	objectiveShare = 0.01
	// objectiveWindow and objectiveUnits end a window. One late unit is allowed in a hundred.
	objectiveWindow = time.Second
	objectiveUnits  = 100
	// objectiveStep is the least step, up and down. It changes p99 by less than the noise of
	// a window of 1000 units, 7 % where times are exponential.
	objectiveStep = 0.06
	// mostCut is what one window takes of the limit at most: p99 of few units is a noisy
	// number.
	mostCut = 0.5
	// A window misses in about 1 of 700, 25, 120 and 12 cases if these numbers of standard
	// deviations lie between its late units on average and one in a hundred. The limit rises as
	// the first of a pair is likelier than the second, and falls as the fourth is likelier than
	// the third: by e to the power of sureToRise, and sureToFall.
	rarely, sometimes      = 3, 1.75
	seldom, often          = 2.4, 1.4
	sureToRise, sureToFall = 1.5, 3
	// patience is how many windows must hold for each that missed, so that one in 25 misses: the
	// limit does not rise to near where it fell before, and it falls if more than mostDebt must.
	patience, mostDebt = 24, 2*24 - 1
	// burstWindows is how many windows the memory of their differences covers. It begins with
	// burstPrior independent late units.
	burstWindows, burstPrior = 60, 60
	// easyFrom is the part of the objective up to which p99 leaves room for a step, whatever missed.
	// If late units come in bursts, p99 without a burst says less: the part is divided by their size.
	easyFrom = 0.8
	// aimsAt is where p99 is to be after a larger step.
	aimsAt = 0.85
	// alikeBy is how much the mean time in flight changes at most if fewer units do not
	// help: its logarithm, over that of the limit. Behind a queue it is 1, and below 0
	// while the queue is still building up. alikeTo is how far the limit must have been
	// lowered to show that.
	alikeBy, alikeTo = 0.1, 0.7
	// An objective that no limit satisfies is given up for givenUpFirst to givenUpMost,
	// or for givenUpTimes the time that it took to find that out, if that is longer.
	givenUpFirst, givenUpMost = 8 * time.Second, 64 * time.Second
	givenUpTimes              = 10
	// givenUpSlack is how many times as long as without a queue units may then take.
	givenUpSlack = 1.15
)

// judge looks at the window so far, and moves the ceiling when it knows enough.
func (o *Objective) judge(r Reading) Reason {
	n, late := float64(r.Timed-o.from.Timed), float64(r.Late-o.from.Late)
	switch {
	case !o.begun, r.At < o.until, n < 0, late < 0:
		o.anew(r)
		return Reason{}
	case o.ceiling > 0 && r.Limit > max(int(o.ceiling), r.Min): // set by hand, or merely observed
		o.down = false
		o.anew(r)
		return Reason{}
	}
	o.peak = max(o.peak, r.InFlight)
	whole, over := max(n, o.units, objectiveUnits), r.At-o.from.At >= objectiveWindow
	switch tooMany := o.tooMany + o.likelier(late, whole, seldom, often); {
	case tooMany >= sureToFall && (over || r.At >= o.retry):
		return o.fall(r, n, late)
	case over && n >= objectiveUnits:
		o.tooMany = max(tooMany, 0)
		return o.end(r, n, late)
	case over:
		o.down = false // too few are timed to say more: the law may know why
	}
	return Reason{}
}

// likelier returns the logarithm of how many times likelier late units are among n if more
// windows miss than if fewer do: those in which more are late than by deviations. Late units that
// come together count as one.
func (o *Objective) likelier(late, n, fewer, more float64) float64 {
	burst := o.burst()
	a, b := expected(n/burst, fewer), expected(n/burst, more)
	return late/burst*math.Log(b/a) - (b - a)
}

// burst returns how many late units come together: how many times as much their numbers in
// successive windows differ as those of independent units would.
func (o *Objective) burst() float64 { return max(1, (o.differ+burstPrior)/(o.lates+burstPrior)) }

// compare learns from a window that is over how much such windows differ at one limit.
func (o *Objective) compare(late float64) {
	if o.before >= 0 {
		d := late - o.before
		o.differ += d*d - o.differ/burstWindows
		o.lates += late + o.before - o.lates/burstWindows
	}
	o.before = late
}

// expected returns how many of n units are late on average if the given number of standard
// deviations lies between that and one in a hundred. The number is Poisson's.
func expected(n, deviations float64) float64 {
	root := (math.Sqrt(deviations*deviations+4*(objectiveShare*n+0.5)) - deviations) / 2
	return root * root
}

// begin begins a window.
func (o *Objective) begin(r Reading) { o.from, o.peak = begun(r), r.InFlight }

// anew begins the first window at a ceiling.
func (o *Objective) anew(r Reading) {
	o.begin(r)
	o.begun, o.holds, o.few, o.tooMany, o.before = true, 0, 0, 0, -1
	o.look(r)
}

// look begins to look at p99.
func (o *Objective) look(r Reading) { o.looked = begun(r) }

// A stretch of time begins at a reading.
type stretch struct {
	Reading
	times Histogram // then
}

func begun(r Reading) stretch {
	s := stretch{Reading: r}
	if r.Latencies != nil {
		s.times = *r.Latencies
	}
	return s
}

// reached returns p99 since from, s. A histogram is coarse: where times hardly differ, their mean
// and deviation say more (Cantelli's inequality), and so does the count of those that are late.
func (o *Objective) reached(from *stretch, r Reading) float64 {
	units, most := float64(r.Timed-from.Timed), o.p99.Seconds()
	p99 := most
	if r.Latencies != nil {
		times := r.Latencies.Sub(&from.times)
		p99 = times.Quantile(1 - objectiveShare)
	}
	mean := (r.Residence - from.Residence) / units
	deviation := math.Sqrt(max(0, (r.Residence2-from.Residence2)/units-mean*mean))
	p99 = min(p99, mean+deviation*math.Sqrt(1/objectiveShare-1))
	if late := float64(r.Late - from.Late); late > objectiveShare*units {
		p99 = max(p99, most)
	} else {
		p99 = min(p99, most)
	}
	if !(p99 > 0) {
		return most
	}
	return p99
}

// fall takes a window that may not be over, when too many are late for sure.
func (o *Objective) fall(r Reading, n, late float64) Reason {
	if r.At < o.retry {
		return o.release(r)
	}
	same := o.down
	why := o.lower(r, n, late)
	if o.from.At == r.At && late > objectiveShare*n { // it is over
		o.owe(true, same)
	}
	return why
}

// lower takes a window after which the limit falls, unless that does not help.
func (o *Objective) lower(r Reading, n, late float64) Reason {
	here := attempt{limit: float64(max(o.peak, 1)), ceiling: o.ceiling, mean: residence(o.from.Reading, r), at: r.At}
	if o.ceiling > 0 {
		here.limit = min(here.limit, o.ceiling)
	}
	switch o.first.falls++; o.first.falls {
	case 1: // perhaps units became slow just now
		o.first.ceiling, o.first.at = here.ceiling, here.at
		fallthrough
	case 2:
		o.first.limit, o.first.mean = here.limit, here.mean
	}
	from := &o.from
	if late <= objectiveShare*n { // that it is too much has added up
		from = &o.looked
	}
	p99 := o.reached(from, r)
	lowest := here.limit < float64(max(r.Min, 1)+1)
	if far := o.first.falls > 2 && here.limit <= alikeTo*o.first.limit; far || lowest {
		if n < objectiveUnits && r.At-o.from.At < objectiveWindow {
			return Reason{} // to be sure
		}
		fell := math.Log(o.first.mean/here.mean) / math.Log(o.first.limit/here.limit)
		switch {
		case lowest && late <= objectiveShare*n:
			o.begin(r)
			o.holds = 0
			return Reason{}
		case lowest || math.Abs(fell) < alikeBy:
			return o.giveUp(r, here)
		}
		o.first.limit, o.first.mean = here.limit, here.mean
	}
	to := here.limit * max(min(o.p99.Seconds()/p99, 1-objectiveStep), mostCut)
	if math.Floor(to) >= math.Floor(here.limit) {
		to = math.Floor(here.limit) - 0.5
	}
	o.ceiling, o.bad = max(to, float64(max(r.Min, 1))), here.limit
	o.down, o.stride = true, objectiveStep
	o.until = r.At + min(max(time.Duration(p99*float64(time.Second)), lagLeast), lagMost)
	o.anew(r)
	note := fmt.Sprintf("%s of the units take more than %s", percent(late/n), shortly(o.p99.Seconds()))
	return o.moved(r, note)
}

// owe counts a window that is over. Windows that miss in the same fall count once.
func (o *Objective) owe(missed, same bool) {
	switch {
	case !missed:
		o.debt = max(o.debt-1, 0)
	case !same:
		o.debt = min(o.debt+patience, mostDebt+patience)
	}
}

// end takes a window after which the limit need not fall.
func (o *Objective) end(r Reading, n, late float64) Reason {
	missed := late > objectiveShare*n
	if missed && r.At < o.retry {
		return o.release(r)
	}
	o.compare(late)
	o.owe(missed, o.down)
	if missed && o.debt > mostDebt {
		return o.lower(r, n, late)
	}
	bound := r.Bound-o.from.Bound >= boundTime*(r.At-o.from.At).Seconds()
	o.holds++
	o.units, o.down = n, false
	o.begin(r)
	if o.holds >= patience {
		o.first, o.pause, o.retry = attempt{}, 0, 0
	}
	if o.ceiling == 0 || o.at == 0 || !bound {
		return Reason{}
	}
	o.few = max(o.few-o.likelier(late, n, rarely, sometimes), 0)
	p99 := o.reached(&o.looked, r)
	grows := min(max(1+o.stride, aimsAt*o.p99.Seconds()/p99), 2)
	if half := math.Sqrt(o.bad / o.ceiling); half > 1 {
		grows = max(min(grows, half), 1+objectiveStep)
	}
	to := max(o.ceiling*grows, math.Floor(o.ceiling)+1)
	near := p99 > easyFrom*o.p99.Seconds()/o.burst() && to*(1+objectiveStep) > o.bad // the limit from which it fell
	if missed || o.few < sureToRise || near && o.debt > 0 {
		if o.holds%patience == 0 { // what was before may no longer hold
			o.look(r)
		}
		return Reason{}
	}
	o.stride *= 2
	return o.raise(r, to, "p99 is "+shortly(p99))
}

func (o *Objective) raise(r Reading, to float64, note string) Reason {
	o.first = attempt{}
	o.ceiling = to
	o.anew(r)
	return o.moved(r, note)
}

// giveUp says that no limit satisfies the objective, as seen at one that is lower than the
// first one that missed.
func (o *Objective) giveUp(r Reading, here attempt) Reason {
	p99, most, first := o.reached(&o.looked, r), o.p99.Seconds(), o.first
	o.pause = min(max(2*o.pause, givenUpFirst, givenUpTimes*(r.At-first.at)), max(givenUpMost, givenUpTimes*(r.At-first.at)))
	o.retry = r.At + o.pause
	o.ceiling, o.first, o.alone, o.down = first.ceiling, attempt{}, here.mean, false
	o.anew(r)
	note := fmt.Sprintf("at limit %d p99 is %s, so no limit brings %s: more replicas will not help, only quicker units", int(here.limit), shortly(p99), shortly(most))
	if p99 <= most {
		note = fmt.Sprintf("at limit %d as many units take more than %s: a lower one does not help", int(here.limit), shortly(most))
	}
	return Reason{Kind: Stay, From: o.within(o.want), To: int(here.limit), Gain: math.NaN(), Note: note}
}

// release takes a window that misses while the objective is given up. The limit does not
// cause such misses, but units must not queue.
func (o *Objective) release(r Reading) Reason {
	if r.At-o.from.At < objectiveWindow {
		return Reason{}
	}
	times, peak := givenUpSlack*o.alone/residence(o.from.Reading, r), float64(max(o.peak, 1))
	note := "no limit brings p99 to " + shortly(o.p99.Seconds())
	switch {
	case times < 1 && o.ceiling == 0, times < 1 && peak <= o.ceiling:
		o.ceiling = max(peak*max(times, mostCut), float64(max(r.Min, 1)))
		o.anew(r)
		return o.moved(r, note)
	case times > 1 && o.at > 0 && o.ceiling > 0:
		return o.raise(r, max(o.ceiling*(1+objectiveStep), math.Floor(o.ceiling)+1), note)
	}
	o.begin(r)
	return Reason{}
}

// moved says that the ceiling has moved, if the limit goes with it.
func (o *Objective) moved(r Reading, note string) Reason {
	if to := o.within(o.want); to != r.Limit {
		return move(r.Limit, to, 0, note).Reason
	}
	return Reason{}
}
