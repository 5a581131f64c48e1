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
	// patience is how many windows must hold for each fall before a step up, so that one in
	// 25 misses. mostDebt bounds what a bad time costs, and leastPatience is how many hold at
	// a limit before a step to the next.
	patience, leastPatience = 24, 6
	mostDebt                = 2 * patience
	// easyFrom is the part of the objective up to which p99 leaves room for a step, and
	// closeFrom that from which all that missed must be paid for. easyUnits make p99 exact
	// enough to say so.
	easyFrom, closeFrom, easyUnits = 0.8, 0.9, 1000
	// aimsAt is where p99 is to be after a larger step.
	aimsAt = 0.85
	// alikeBy is how the mean time in flight changes at most where fewer units do not help:
	// its logarithm, over that of the limit. Behind a queue it is 1, and below 0 while the
	// queue is still building up. alikeTo is how far below the limit must be for that to
	// be seen.
	alikeBy, alikeTo = 0.1, 0.7
	// givenUpFirst and givenUpMost are how long an objective is given up that no limit
	// satisfies, and givenUpTimes how many times as long as it took to find that out.
	givenUpFirst, givenUpMost = 8 * time.Second, 64 * time.Second
	givenUpTimes              = 10
	// givenUpSlack is how many times as long as without a queue units may then take.
	givenUpSlack = 1.15
)

// judge looks at the window so far and moves the ceiling if it is over.
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
	switch {
	case late > objectiveShare*max(n, o.units, objectiveUnits):
		return o.missed(r, n, late)
	case r.At-o.from.At >= objectiveWindow && n >= objectiveUnits:
		return o.held(r, n)
	}
	return Reason{}
}

// begin begins a window.
func (o *Objective) begin(r Reading) { o.from, o.peak = r, r.InFlight }

// anew begins the first window at a ceiling.
func (o *Objective) anew(r Reading) {
	o.begin(r)
	o.begun, o.holds = true, 0
	o.look(r)
}

// look begins to look at p99.
func (o *Objective) look(r Reading) {
	o.looked = r
	if r.Latencies != nil {
		o.since = *r.Latencies
	}
}

// reached returns p99 since looked, s, and of how many units. A histogram
// is coarse: where times hardly differ, their mean and deviation say more (Cantelli's
// inequality), and so does the count of those that are late.
func (o *Objective) reached(r Reading) (p99, units float64) {
	from, most := &o.looked, o.p99.Seconds()
	units = float64(r.Timed - from.Timed)
	p99 = most
	if r.Latencies != nil {
		times := r.Latencies.Sub(&o.since)
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
		return most, 0
	}
	return p99, units
}

// missed takes a window in which too many were late.
func (o *Objective) missed(r Reading, n, late float64) Reason {
	if r.At < o.retry {
		return o.release(r)
	}
	if !o.down { // else it is the same fall
		o.debt = min(o.debt+patience, mostDebt)
	}
	here := attempt{limit: float64(max(o.peak, 1)), ceiling: o.ceiling, mean: residence(o.from, r), at: r.At}
	if o.ceiling > 0 {
		here.limit = min(here.limit, o.ceiling)
	}
	if o.first.limit == 0 {
		o.first = here
	}
	p99, _ := o.reached(r)
	lowest := here.limit < float64(max(r.Min, 1)+1)
	if far := here.limit <= alikeTo*o.first.limit; far || lowest {
		if n < objectiveUnits && r.At-o.from.At < objectiveWindow {
			return Reason{} // to be sure
		}
		fell := math.Log(o.first.mean/here.mean) / math.Log(o.first.limit/here.limit)
		switch seldom := float64(r.Late-o.looked.Late) <= objectiveShare*float64(r.Timed-o.looked.Timed); {
		case !seldom && (lowest || math.Abs(fell) < alikeBy):
			return o.giveUp(r, here, p99)
		case lowest:
			o.begin(r)
			o.holds = 0
			return Reason{}
		}
		o.first.limit, o.first.mean = here.limit, here.mean
	}
	to := here.limit * max(min(o.p99.Seconds()/p99, 1-objectiveStep), mostCut)
	if math.Floor(to) >= math.Floor(here.limit) {
		to = math.Floor(here.limit) - 0.5
	}
	o.ceiling, o.bad = max(to, float64(max(r.Min, 1))), here.limit
	o.down = true
	o.until = r.At + min(max(time.Duration(p99*float64(time.Second)), lagLeast), lagMost)
	o.anew(r)
	note := fmt.Sprintf("%s of the units take more than %s", percent(late/n), shortly(o.p99.Seconds()))
	return o.moved(r, note)
}

// held takes a window in which few enough were late.
func (o *Objective) held(r Reading, n float64) Reason {
	bound := r.Bound-o.from.Bound >= boundTime*(r.At-o.from.At).Seconds()
	o.holds++
	o.debt = max(o.debt-1, 0)
	o.units, o.down = n, false
	o.begin(r)
	if o.holds >= patience {
		o.first, o.pause, o.retry = attempt{}, 0, 0
	}
	if o.ceiling == 0 || o.at == 0 || !bound {
		return Reason{}
	}
	p99, units := o.reached(r)
	room, grows := 0.0, 1+objectiveStep // 0: none, 1: enough for any step
	if part := p99 / o.p99.Seconds(); units >= easyUnits && part < closeFrom {
		room = min((closeFrom-part)/(closeFrom-easyFrom), 1)
		grows = min(max(grows, aimsAt/part), 2)
	}
	if half := math.Sqrt(o.bad / o.ceiling); half >= 1+objectiveStep {
		grows = min(grows, half)
	} else if half > 1 {
		room, grows = min(room, 0.5), 1+objectiveStep
	}
	if float64(o.debt) > room*mostDebt || float64(o.holds) < (1-room)*leastPatience {
		if o.holds%patience == 0 { // what was before may no longer hold
			o.look(r)
		}
		return Reason{}
	}
	return o.raise(r, grows, "p99 is "+shortly(p99))
}

func (o *Objective) raise(r Reading, times float64, note string) Reason {
	o.first = attempt{}
	o.ceiling = max(o.ceiling*times, math.Floor(o.ceiling)+1)
	o.anew(r)
	return o.moved(r, note)
}

// giveUp says that no limit satisfies the objective, as seen at one that is lower than the
// first one that missed.
func (o *Objective) giveUp(r Reading, here attempt, p99 float64) Reason {
	first := o.first
	o.pause = min(max(2*o.pause, givenUpFirst, givenUpTimes*(r.At-first.at)), max(givenUpMost, givenUpTimes*(r.At-first.at)))
	o.retry = r.At + o.pause
	o.ceiling, o.first, o.alone, o.down = first.ceiling, attempt{}, here.mean, false
	o.anew(r)
	return Reason{Kind: Stay, From: o.within(o.want), To: int(here.limit), Gain: math.NaN(), Note: fmt.Sprintf(
		"at limit %d p99 is %s, so no limit brings %s: more replicas will not help, only quicker units", int(here.limit), shortly(p99), shortly(o.p99.Seconds()))}
}

// release takes a window that misses while the objective is given up. The limit is not to
// blame for what cannot be had, but units shall not queue.
func (o *Objective) release(r Reading) Reason {
	if r.At-o.from.At < objectiveWindow {
		return Reason{}
	}
	times, peak := givenUpSlack*o.alone/residence(o.from, r), float64(max(o.peak, 1))
	note := "no limit brings p99 to " + shortly(o.p99.Seconds())
	switch {
	case times < 1 && o.ceiling == 0, times < 1 && peak <= o.ceiling:
		o.ceiling = max(peak*max(times, mostCut), float64(max(r.Min, 1)))
		o.anew(r)
		return o.moved(r, note)
	case times > 1 && o.at > 0 && o.ceiling > 0:
		return o.raise(r, 1+objectiveStep, note)
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
