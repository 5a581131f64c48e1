package sim

import (
	"cmp"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// runs are the results of one scenario, one for each seed.
type runs[R any] []R

// sorted returns a figure of all runs, the least first.
func (rs runs[R]) sorted(figure func(R) float64) []float64 {
	var xs []float64
	for _, r := range rs {
		xs = append(xs, figure(r))
	}
	slices.Sort(xs)
	return xs
}

// medians sets the figures of a row to the medians of those that have the same names in the results.
func (rs runs[R]) medians(row any) {
	to, float := reflect.ValueOf(row).Elem(), reflect.TypeFor[float64]()
	for i := range to.NumField() {
		name := to.Type().Field(i).Name
		if _, ok := reflect.TypeFor[R]().Elem().FieldByName(name); ok && to.Field(i).Type() == float {
			figure := func(r R) float64 { return reflect.ValueOf(r).Elem().FieldByName(name).Convert(float).Float() }
			xs := rs.sorted(figure)
			to.Field(i).SetFloat((xs[(len(xs)-1)/2] + xs[len(xs)/2]) / 2) // NaN if they are
		}
	}
}

// runAll runs every scenario with every seed, on all CPUs, and returns the runs of each. It
// goes seed by seed, so that no two goroutines want what is worked out once for a scenario.
func runAll[S, R any](scenarios []S, seeds []uint64, run func(s S, seed uint64) (R, error)) ([]runs[R], error) {
	if len(scenarios) == 0 || len(seeds) == 0 {
		return nil, fmt.Errorf("sim: nothing to judge: want at least one scenario and one seed")
	}
	all := make([]runs[R], len(scenarios))
	for i := range all {
		all[i] = make(runs[R], len(seeds))
	}
	err := each(len(scenarios)*len(seeds), func(i int) (err error) {
		k, seed := i%len(scenarios), i/len(scenarios)
		all[k][seed], err = run(scenarios[k], seeds[seed])
		return err
	})
	return all, err
}

// judgeAll is runAll with a row made of the runs of each scenario.
func judgeAll[S, R, Line any](
	scenarios []S, seeds []uint64, run func(s S, seed uint64) (R, error), row func(s S, rs runs[R]) Line,
) ([]Line, error) {
	all, err := runAll(scenarios, seeds, run)
	if err != nil {
		return nil, err
	}
	rows := make([]Line, len(scenarios))
	for i, s := range scenarios {
		rows[i] = row(s, all[i])
	}
	return rows, nil
}

// each calls f for 0 to n-1 on all CPUs, and returns the error of the least i.
func each(n int, f func(i int) error) error {
	errs := make([]error, n)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				errs[i] = f(i)
			}
		})
	}
	wg.Wait()
	return cmp.Or(errs...)
}
