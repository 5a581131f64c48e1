package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/sweetspot-go/sweetspot"
)

// waitFor is what an item of the group waiting waits.
const waitFor = 10 * time.Millisecond

func waiting(_ context.Context, v int) (int, error) {
	time.Sleep(waitFor)
	return v, nil
}

const sixtyFour = "64 workers"

var waiters = []mapper{
	ours[0], // Map
	{"Map, Fixed(64)", func(ctx context.Context, items []int, f work, _ int) ([]int, error) {
		return sweetspot.Map(ctx, items, f, sweetspot.Fixed(64))
	}},
	{sixtyFour, func(ctx context.Context, items []int, f work, _ int) ([]int, error) { return each(ctx, items, f, 64) }},
	{"go per item", spawned},
}

func waitingGroup() group {
	rows := names(waiters)
	column := func(n int) string { return fmt.Sprintf("%d items", n) }
	columns := []string{column(3000), column(30_000)}
	return group{
		name:  "waiting",
		title: "Items that wait",
		about: fmt.Sprintf("Each item waits for %v. Map begins with as many goroutines as CPUs, and nothing is remembered: each process\nmakes one call. \"go per item\" has no limit at all, and is ideal as long as nothing gives way under it.", waitFor),
		list: func(procs int, quick bool, add func(subject)) {
			for _, p := range slices.Compact([]int{1, procs}) {
				for _, n := range []int{3000, 30_000} {
					if n > 3000 && (quick || p != procs) {
						continue
					}
					for _, m := range waiters {
						add(subject{row: m.name, column: column(n), procs: p, items: n, once: true, set: func(e environment) task {
							items := make([]int, e.items)
							for i := range items {
								items[i] = i
							}
							wait := func() ([]int, error) { return m.do(context.Background(), items, waiting, e.procs) }
							return making(wait, func(results []int) error {
								if !slices.Equal(results, items) {
									return fmt.Errorf("%d results are not those of the %d items", len(results), len(items))
								}
								return nil
							})
						}})
					}
				}
			}
		},
		report: func(r *findings) {
			for _, p := range slices.Compact([]int{r.procs, 1}) {
				r.grid(fmt.Sprintf("GOMAXPROCS=%d: time, and as a multiple of 64 workers:", p), rows, columns, r.on(p).timed(sixtyFour))
			}
			for i, most := range []float64{0.8, 0.25} {
				r.atMost(fmt.Sprintf("Map, %s that wait %v", columns[i], waitFor), r.ratios("Map", sixtyFour, columns[i], ns), most, sixtyFour)
			}
		},
	}
}
