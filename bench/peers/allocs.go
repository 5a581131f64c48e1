package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"
)

// few and many are the items whose allocations are compared, each worth helpers.
// A few that take as long as the many tell what depends on time.
var (
	few  = grain{"1e3 x 20 µs", 20 * time.Microsecond, false}
	many = grain{"1e6 x 200 ns", 200 * time.Nanosecond, false}
	long = grain{"1e3 x 200 µs", 200 * time.Microsecond, false}

	// MapSeq does items of less than 2 µs alone, as to hand them over costs as much.
	manySeq = grain{"1e6 x 4 µs", 4 * time.Microsecond, false}
)

func manyOf(row string) grain {
	if row == ourMapSeq {
		return manySeq
	}
	return many
}

func allocsGroup() group {
	var rows []string
	for _, c := range smallCalls {
		if c.name != ourWalk && !c.byHand { // the set of a Walk grows with the keys
			rows = append(rows, c.name)
		}
	}
	return group{
		name:  "allocs",
		title: "Allocations",
		about: "What a call allocates while its helpers run: it may depend on the CPUs, not on the number of items.\nWhat a long call allocates beyond a short one of as many items depends on time. A run in which no two items were worked on at the same time does not count.",
		list: func(procs int, _ bool, add func(subject)) {
			for _, c := range smallCalls {
				if !slices.Contains(rows, c.name) {
					continue
				}
				for _, g := range []grain{few, long, manyOf(c.name)} {
					n := 1000
					if g == manyOf(c.name) {
						n = 1_000_000
					}
					add(subject{row: c.name, column: g.name, procs: procs, items: n, set: func(e environment) task { return watched(e, g, c) }})
				}
			}
		},
		report: func(r *findings) {
			r.grid("Allocations per call:", rows, []string{few.name, long.name, many.name, manySeq.name}, r.each(mallocs, count))
			for _, row := range rows {
				more := r.median(row, manyOf(row).name, mallocs) - r.median(row, few.name, mallocs)
				r.bars = append(r.bars, bar{
					work: row + ", allocations of 1e6 items beyond those of 1e3", want: fmt.Sprintf("≤ 8 per CPU = %d", 8*r.procs),
					got: more, low: more, high: more, limit: float64(8 * r.procs), show: count,
				})
			}
		},
	}
}

// warming is for how long calls are made before one is counted.
const warming = time.Second

// watched returns the task of a call whose items tell whether any two of them
// were worked on at the same time.
func watched(e environment, g grain, c smallCall) task {
	var now atomic.Int64
	var together atomic.Bool
	theWork = func(ctx context.Context, v int) (int, error) {
		if now.Add(1) > 1 && !together.Load() {
			together.Store(true)
		}
		r, err := spin(ctx, v)
		now.Add(-1)
		return r, err
	}
	t := c.set(context.Background(), g.make(e))
	// What a process allocates once is not the call's, such as to find its cgroup, and for
	// threads, which come one by one. Nor is a trial of more helpers, which one of the first calls
	// that last makes.
	for began := time.Now(); time.Since(began) < warming; {
		_ = t.run()
	}
	t.loop = nil // nor is what the loop allocates
	t.before = func() { together.Store(false) }
	t.check = func() error {
		if e.procs > 1 && !together.Load() {
			return errors.New("no helper ran")
		}
		return nil
	}
	return t
}
