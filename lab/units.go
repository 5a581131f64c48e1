package lab

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/lab/figures"
)

// A kind of units is what the pool of the article is given: inputs, what is done
// to each, and how many.
type kind[I, O comparable] struct {
	inputs func(n int) []I
	do     func(I) (O, error)
	result func(I) (O, error) // what do returns, sooner; nil if that is do
	fixed  int                // how many there are whatever the size of the experiment; 0 where that says it
	of     string             // what they are, if fixed
}

// size says how many units there are, where the size of the experiment does not.
func (k kind[I, O]) size() func(int) string {
	if k.fixed == 0 {
		return nil
	}
	return func(int) string { return humanize.Count(k.fixed, k.of) }
}

// emptyUnits is how many empty units there are at every scale, as many as in the
// article, because they cost next to nothing.
const emptyUnits = 3000

var (
	textUnits   = kind[string, uint64]{inputs: texts, do: hashText}
	numberUnits = kind[uint64, uint64]{inputs: numbers, do: hashNumber}
	countUnits  = kind[uint64, uint64]{inputs: numbers, do: count}
	noUnits     = kind[uint64, uint64]{inputs: numbers, do: nothing, fixed: emptyUnits, of: "empty units"}
)

// A batch is the units of a task, with the results that some of them must have.
type batch[I, O comparable] struct {
	units  []I
	place  map[I]int
	sample map[int]O
}

// The result of one in sampled units is computed once more, to compare. All results
// come from one function. A pool can only lose units, do some twice, or mix up
// their results, and the inputs in all results and the outputs of some show that.
const sampled = 16

// batch prepares n units, or as many as there are of the kind.
func (k kind[I, O]) batch(n int) *batch[I, O] {
	n = cmp.Or(k.fixed, n)
	result := k.result
	if result == nil {
		result = k.do
	}
	b := &batch[I, O]{units: k.inputs(n), place: make(map[I]int, n), sample: map[int]O{}}
	for i, unit := range b.units {
		b.place[unit] = i
		if i%sampled == 0 || i == n-1 {
			b.sample[i], _ = result(unit) // an error comes up with the results
		}
	}
	return b
}

// checkResults returns an error unless each unit has one right result.
func (b *batch[I, O]) checkResults(got []result[I, O]) error {
	outs := make([]O, len(b.units))
	seen := make([]bool, len(b.units))
	for _, r := range got {
		i, ok := b.place[r.in]
		switch {
		case r.err != nil:
			return fmt.Errorf("unit %v: %w", r.in, r.err)
		case !ok:
			return fmt.Errorf("a result is of %v, which is not a unit", r.in)
		case seen[i]:
			return fmt.Errorf("unit %v has two results", r.in)
		}
		seen[i], outs[i] = true, r.out
	}
	if i := slices.Index(seen, false); i >= 0 {
		return fmt.Errorf("unit %v has no result", b.units[i])
	}
	return b.check(outs)
}

// check returns an error unless the results, in the order of the units, are right.
func (b *batch[I, O]) check(outs []O) error {
	if len(b.units) == 0 || len(outs) != len(b.units) {
		return fmt.Errorf("%d results of %d units", len(outs), len(b.units))
	}
	for i, want := range b.sample {
		if outs[i] != want {
			return fmt.Errorf("the result of unit %v is %v, want %v", b.units[i], outs[i], want)
		}
	}
	return nil
}

// milliseconds is the figure of a whole run.
func milliseconds(took time.Duration) float64 { return took.Seconds() * 1e3 }

// unitsPoint measures a function that does units of a kind.
func unitsPoint[I, O comparable, R any](label string, k kind[I, O], do func(units []I) (R, error), check func(b *batch[I, O], got R) error) point {
	return point{label: label, unit: "ms", size: k.size(), set: func(n int) (task, error) {
		b := k.batch(n)
		return making(func() (R, error) { return do(b.units) }, func(got R) error { return check(b, got) }, milliseconds), nil
	}}
}

// poolPoint measures a pool with the given number of workers.
func poolPoint[I, O comparable](label string, k kind[I, O], workers int, pool func(units []I) []result[I, O]) point {
	do := func(units []I) ([]result[I, O], error) { return pool(units), nil }
	return unitsPoint(label, k, do, (*batch[I, O]).checkResults).at(float64(workers))
}

// directPoint measures a function that returns the results in the order of the
// units.
func directPoint[I, O comparable](label string, k kind[I, O], do func(units []I) ([]O, error)) point {
	return unitsPoint(label, k, do, (*batch[I, O]).check)
}

// wholeBuffer stands for a buffer that takes all units.
const wholeBuffer = -1

// doPoint measures do with the given number of workers and buffer.
func doPoint[I, O comparable](label string, k kind[I, O], workers, buffer int) point {
	return poolPoint(label, k, workers, func(units []I) []result[I, O] {
		if buffer == wholeBuffer {
			return do(units, k.do, workers, len(units))
		}
		return do(units, k.do, workers, buffer)
	})
}

// statePoint measures doWithState on units that hash numbers, the buffer being
// the state.
func statePoint(label string, workers int) point {
	return poolPoint(label, numberUnits, workers, func(units []uint64) []result[uint64, uint64] {
		return doWithState(units, newBuffer, hashNumberIn, workers, len(units))
	})
}

// mapPoint measures Map on the same units. No number is given.
func mapPoint[I, O comparable](label string, k kind[I, O]) point {
	return directPoint(label, k, func(units []I) ([]O, error) {
		return sweetspot.Map(context.Background(), units, k.withContext())
	}).asOurs()
}

// withContext returns the work on a unit in the form that Map takes. If it were
// inlined, the loop would call another function than Map does.
//
//go:noinline
func (k kind[I, O]) withContext() func(context.Context, I) (O, error) {
	do := k.do
	return func(_ context.Context, unit I) (O, error) { return do(unit) }
}

// workersPoint measures Workers on units that hash numbers: the buffer is a
// variable of the body.
func workersPoint(label string) point {
	return directPoint(label, numberUnits, func(units []uint64) ([]uint64, error) {
		outs := make([]uint64, len(units))
		err := sweetspot.Workers(context.Background(), units, func(_ context.Context, items iter.Seq2[int, uint64]) error {
			buffer := newBuffer()
			for i, unit := range items {
				out, err := hashNumberIn(buffer, unit)
				if err != nil {
					return err
				}
				outs[i] = out
			}
			return nil
		})
		return outs, err
	}).asOurs()
}

// loopPoint measures the plain loop over the same units. It calls what Map calls.
func loopPoint[I, O comparable](label string, k kind[I, O]) point {
	return directPoint(label, k, func(units []I) ([]O, error) {
		ctx, f := context.Background(), k.withContext()
		outs := make([]O, len(units))
		for i, unit := range units {
			out, err := f(ctx, unit)
			if err != nil {
				return nil, err
			}
			outs[i] = out
		}
		return outs, nil
	})
}

// perUnit is p with the time of a unit as figure. If fixed is not 0, it is the
// number of units at any size of the experiment.
func perUnit(p point, fixed int) point {
	p.unit = "ns/unit"
	return p.with(func(t *task, n int) { t.figure = perOp(cmp.Or(fixed, n)) })
}

// allocations is p with the number of allocations for each unit as figure, beside
// the experiment's own measure.
func allocations(p point) point {
	p.label = allocationsOf(p.label)
	p.unit = "allocations/unit"
	return p.asAside().with(func(t *task, n int) {
		var before, after runtime.MemStats
		run := t.run
		t.run = func() error {
			runtime.ReadMemStats(&before)
			err := run()
			runtime.ReadMemStats(&after)
			return err
		}
		t.figure = func(time.Duration) float64 { return float64(after.Mallocs-before.Mallocs) / float64(n) }
	})
}

// allocationsOf returns the label of the point that counts those of a label.
func allocationsOf(label string) string { return label + ", allocations" }

// workersAxis is the axis of the pool's experiments. Ours is at 0, because it
// gets no number.
var workersAxis = figures.Axis{Name: "workers"}

// hashingWorkers returns the numbers of workers that A3 to A5 try.
func hashingWorkers(s scale) []int {
	if s == quick {
		return numbersOfWorkers(1, 2, 12) // 12 was the CPU count of the article
	}
	return oneTo(manyWorkers(runtime.GOMAXPROCS(0)))
}

// numbersOfWorkers returns some numbers, that of the CPUs, and one well beyond it.
func numbersOfWorkers(few ...int) []int {
	cpus := runtime.GOMAXPROCS(0)
	all := append(few, cpus, manyWorkers(cpus))
	slices.Sort(all)
	return slices.Compact(all)
}

// manyWorkers is the most that the article tried with units that hash, twice its
// number of CPUs, or as many times ours.
func manyWorkers(cpus int) int { return max(24, 2*cpus) }

// oneTo returns the numbers from 1 to n.
func oneTo(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i + 1
	}
	return s
}
