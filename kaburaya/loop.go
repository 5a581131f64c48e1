package kaburaya

import (
	"time"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/limit"
	"github.com/sweetspot-go/sweetspot/sense"
)

// A Point is the measurement and the decision of one period.
type Point struct {
	At       time.Duration // since NewSem
	Usage    float64       // CPU usage during the period, percent of the CPUs available
	SetPoint float64       // the usage aimed at, percent; at times below 0 or above 100
	Limit    int           // the limit from now on
}

// A loop asks the law for the limit, and leaves it out where the CPU usage says
// nothing.
type loop struct {
	config
	sem    *limit.Semaphore
	newLaw func() *control.DynamicTarget
	law    *control.DynamicTarget
	start  time.Time

	// The end of the last period.
	at     time.Duration
	count  limit.Counters
	sample sense.Sample

	told  control.Reading // what the law was told: the periods that say something
	stuck int             // periods in a row at limit 1 with somebody waiting
}

const (
	// leastCPU is half the step in which the law counts CPU time. It takes less
	// for no usage at all, and would let the limit fall to 1.
	leastCPU = 0.005
	// patience is how many periods the limit stays at 1 with somebody waiting
	// before the law starts again. The law's sums need some to settle; at the
	// published period ten are a second.
	patience = 10
)

func newLoop(sem *limit.Semaphore, gain float64, c config) *loop {
	l := &loop{config: c, sem: sem, start: time.Now()}
	l.newLaw = func() *control.DynamicTarget {
		law := control.NewDynamicTarget(gain, c.changeRate)
		law.Metric, law.Max = c.metric, c.max
		law.Period = 1 // each reading ends a period: run keeps the time
		return law
	}
	l.count = sem.Counters()
	l.sample = c.sensor.Sense(l.count.InFlight)
	l.restart()
	return l
}

func (l *loop) restart() {
	l.law, l.stuck = l.newLaw(), 0
	l.law.Next(l.told)
}

// step ends a period: it measures, decides, and puts the limit in force.
func (l *loop) step() Point {
	at, count := time.Since(l.start), l.sem.Counters()
	sample := l.sensor.Sense(count.InFlight)
	w := window{
		reading: control.Reading{
			At:         at - l.at,
			Limit:      count.Limit,
			InFlight:   count.InFlight,
			Waiting:    count.Waiting,
			OwnCPU:     max(0, sample.OwnCPU-l.sample.OwnCPU),
			MachineCPU: max(0, sample.MachineCPU-l.sample.MachineCPU),
			CPUs:       sample.CPUs,
		},
		waited:   count.Bound > l.count.Bound,
		finished: count.Completed > l.count.Completed,
	}
	l.at, l.count, l.sample = at, count, sample

	to := min(l.decide(w), l.max)
	if sample.Ceiling > 0 && !l.published {
		to = min(to, sample.Ceiling)
	}
	l.sem.SetLimit(to)
	return Point{At: at, Usage: l.metric.Usage(control.Reading{}, w.reading), SetPoint: l.law.SetPoint(), Limit: to}
}

// decide returns the limit that should follow the period w.
func (l *loop) decide(w window) int {
	now := w.reading.Limit
	if l.published {
		l.tell(w.reading)
		return l.law.Next(l.told).Limit
	}
	switch {
	case w.reading.InFlight == 0 && !w.finished && !w.waited: // nothing was done
		return now
	case !w.tells(l.metric) && w.waited:
		return now + 1
	case !w.tells(l.metric):
		return now
	}
	l.tell(w.reading)
	to := l.law.Next(l.told).Limit
	if to > now && !w.waited {
		to = now
	}
	if to > 1 || now > 1 || !w.waited {
		l.stuck = 0
	} else if l.stuck++; l.stuck == patience {
		l.restart()
	}
	return to
}

// tell adds the reading of one period to what the law was told.
func (l *loop) tell(period control.Reading) {
	r := period
	r.At += l.told.At
	r.OwnCPU += l.told.OwnCPU
	r.MachineCPU += l.told.MachineCPU
	l.told = r
}

// A window is what happened during one period.
type window struct {
	reading  control.Reading // its time and CPU times are those of the period alone
	waited   bool            // somebody waited at some time
	finished bool            // a unit was completed
}

// tells says whether enough CPU was used for its usage to mean anything.
func (w window) tells(m control.Metric) bool {
	if m == control.MachineCPU {
		return w.reading.MachineCPU >= leastCPU
	}
	return w.reading.OwnCPU >= leastCPU
}
