package lab

import (
	"slices"
	"time"

	"github.com/sweetspot-go/sweetspot/kaburaya"
	"github.com/sweetspot-go/sweetspot/limit"
)

// What the tests of the experiments about feedback control see of them.

// A Lowering is what came of those who waited when the limit was lowered.
type Lowering struct{ Beyond, Lost, Passed int }

// Lower lowers the limit of a semaphore: exact, counter or published.
func Lower(how string, running, to int) Lowering {
	var g elasticGate
	switch how {
	case "exact":
		g = exactGate{limit.New(running)}
	case "counter":
		g = newLoose(running, wakesEach)
	case "published":
		g = newLoose(running, wakesLast)
	}
	l := lowerLimit(g, running, to)
	return Lowering{l.beyond, l.lost, l.passed}
}

const WaitingThen = waitingThen

// IsSeeded says whether a point is worked out for a seed.
func (p PoolPoint) IsSeeded() bool { return p.point.seeded != nil }

// Seeded works the figure out.
func (p PoolPoint) Seeded(seed uint64) (float64, error) { return p.point.seeded(seed) }

// FlowCheck streams so many units of the named flow, after having one of them
// replaced by f, if it is not nil, and returns what the check says.
func FlowCheck(name string, units int64, f func(unit func(i int64) error) func(i int64) error) error {
	for _, fl := range []flow{toCompute, toWait, toMix, toLoad} {
		if fl.name != name {
			continue
		}
		w := fl.prepare()
		if f != nil {
			w.unit = f(w.unit)
		}
		st := &streamed{work: w, count: units}
		if err := st.under(fixedAt(2), 0); err != nil {
			return err
		}
		return st.check()
	}
	panic("no flow " + name)
}

// LostByRest is by how much the limit of kaburaya's semaphore falls while nothing runs.
func LostByRest(o kaburaya.Option) int {
	working, resting := watched(o)
	return slices.Max(working) - slices.Min(resting)
}

// ScoreOfBest is the score of the best fixed number where units wait.
func ScoreOfBest(length time.Duration) (float64, error) {
	return toWait.score(&streamed{work: toWait.prepare(), length: length}, fixedAt(toWait.best()))
}
