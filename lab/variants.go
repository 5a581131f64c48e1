package lab

import (
	"math"

	"github.com/sweetspot-go/sweetspot/control"
)

// Variants of the law that the talk mentions or proposes, each as a law of its own. They
// keep its inner loop, a PID with a gain of 0.1 once in 100 ms, and differ in the set point.

// A setPoint says what the CPU usage should be from now on, in percent, given that of
// the last period, the limit, and whether the limit held anything back.
type setPoint func(usage float64, limit int, bound bool) float64

// An innerLoop is the inner loop of the talk: the PID's output, rounded away from zero
// as published, is added to the limit once a period.
type innerLoop struct {
	pid   control.PID
	aim   setPoint
	last  float64 // set point
	begun bool
	from  control.Reading
}

// highestLimit bounds every law: one that asks for more means no number.
const highestLimit = 100_000

func (l *innerLoop) Next(r control.Reading) control.Decision {
	d := control.Decision{Limit: r.Limit, After: articlePeriod}
	if !l.begun {
		l.begun, l.from = true, r
		return d
	}
	if left := l.from.At + articlePeriod - r.At; left > 0 {
		d.After = left
		return d
	}
	usage, bound := control.OwnCPU.Usage(l.from, r), r.Bound > l.from.Bound || r.Waiting > 0
	l.from = r
	aim := l.aim(usage, r.Limit, bound)
	if aim != l.last {
		l.pid.ResetIntegral()
		l.last = aim
	}
	u := l.pid.Next(aim - usage)
	d.Limit = int(min(highestLimit, max(1, float64(r.Limit)+math.Copysign(math.Ceil(math.Abs(u)), u))))
	return d
}

func variant(name string, aim func() setPoint) law {
	return law{"the article's law, " + name, func() control.Controller {
		return &innerLoop{pid: control.PID{KP: articleGain, KI: articleGain, KD: articleGain}, aim: aim()}
	}}
}

var variants = []law{
	{"the article's law, by throughput", func() control.Controller {
		return &byThroughput{law: control.NewDynamicTarget(articleGain, articleChangeRate)}
	}},
	variant("high target first", highTarget),
	variant("bold", bold),
	variant("predicting", predicted),
	{"the article's law, parameters searched", func() control.Controller {
		return control.NewDynamicTarget(searchedGain, searchedChangeRate)
	}},
}

// byThroughput gives the talk's law the throughput in place of the CPU usage, in
// percent of the highest so far.
type byThroughput struct {
	law  *control.DynamicTarget
	from control.Reading
	most float64 // units a second
	used float64
}

func (b *byThroughput) Next(r control.Reading) control.Decision {
	if d := (r.At - b.from.At).Seconds(); d >= articlePeriod.Seconds()/2 {
		rate := float64(r.Completed-b.from.Completed) / d
		b.most = max(b.most, rate)
		if b.most > 0 {
			b.used += rate / b.most * d * max(r.CPUs, 1)
		}
		b.from = r
	}
	r.OwnCPU = b.used
	return b.law.Next(r)
}

const (
	// reach is how far above or below a usage the talk's outer loop puts the
	// set point.
	reach = 2
	// patience is how many periods in a row a target must be missed before it counts
	// as out of reach, and how many a bold search rests if it has gained nothing.
	patience = 10
)

// highTarget begins with all CPUs as the target. One that is missed is lowered towards
// the usage by a tenth of the distance each period; one that is met is kept, with a set
// point a little below, to find fewer. A change of the usage by more than the change
// rate starts the search again.
func highTarget() setPoint {
	target, missed, last := 100.0, 0, 0.0
	return func(usage float64, _ int, _ bool) float64 {
		if last > 0 && math.Abs(usage-last)/last > articleChangeRate {
			target, missed = 100, 0
		}
		last = usage
		if usage >= target-reach {
			missed = 0
			return usage - reach
		}
		if missed++; missed > patience {
			target += (usage - target) / 10
		}
		return target
	}
}

// bold is the published rule with one change: while less than half of the CPUs is in
// use, and more units could run, the set point is half-way to all of them. It rests
// once that has gained nothing for some periods.
func bold() setPoint {
	aim, last, most, vain := 0.0, 0.0, 0.0, 0
	return func(usage float64, _ int, bound bool) float64 {
		change := (usage - last) / max(last, 0.01)
		last = usage
		if usage > most+reach {
			most, vain = usage, 0
		} else {
			vain = (vain + 1) % (5 * patience)
		}
		switch {
		case bound && usage < 50 && vain < patience:
			aim = (usage + 100) / 2
		case math.Abs(change) > articleChangeRate:
			aim, most = usage+reach, 0
		case math.Abs(change) < 0.01:
			aim = usage - reach
		}
		return aim
	}
}

// predicted assumes that the usage is a curve u(n) = U·n/(h+n) of the limit n, whose end
// U is the highest possible usage. It fits the curve to the latest usages, by least
// squares in 1/u over 1/n (Lineweaver and Burk, 1934); older ones weigh less. The set
// point is nearly U; while there is nothing to fit, it is above the usage.
func predicted() setPoint {
	const (
		forget = 0.95 // a period
		nearly = 0.95 // of U, as U itself takes an endless number
	)
	var w, x, y, xx, xy float64 // sums
	return func(usage float64, limit int, _ bool) float64 {
		if usage <= 0 {
			return reach
		}
		a, b := 1/float64(limit), 1/usage
		for s, v := range map[*float64]float64{&w: 1, &x: a, &y: b, &xx: a * a, &xy: a * b} {
			*s = *s*forget + v
		}
		spread := w*xx - x*x
		if spread < 1e-9*w*w {
			return usage + reach // all at the same limit
		}
		slope := (w*xy - x*y) / spread
		end := (y - slope*x) / w
		if slope <= 0 || end <= 0 {
			return usage + reach // no end in sight
		}
		return min(100, nearly/end)
	}
}

// Parameters found by a search over other simulated works. The test of the variants is that
// search: it tries all pairs again.
const (
	searchedGain       = 0.5
	searchedChangeRate = 0.1
)
