package main

import (
	"runtime"
	"time"

	"github.com/sweetspot-go/sweetspot/bench/internal/load"
	"github.com/sweetspot-go/sweetspot/bench/internal/stats"
)

// quiet is how many CPUs others may use during a round that counts.
const quiet = 0.1

// enough rounds have an interval: see stats.Interval.
const enough = 6

// A measured form has, of each round, the nanoseconds of an item, and how many
// times as long as it the bad form took.
type measured struct {
	name   string
	took   []float64
	ratios []float64
}

// measure lets the forms of a work take turns, each for at least o.sample in a
// round. As long as o.patience lasts, a round waits until others leave the machine
// alone, and is repeated if they did not until its end; where too few were left
// alone, all count. Others tells how many CPUs other processes used in the rounds
// that count.
func measure(p pitfall, o options) (all []measured, others float64) {
	forms := p.make(p.n)
	repeat := make([]int, len(forms))
	for i, f := range forms {
		if f.figure == nil {
			f.run() // the first time grows heaps and stacks
			repeat[i] = 1 + int(o.sample/max(1, timed(1, f.run)))
		}
	}
	var kept, noisy [][]float64
	var least, sum float64
	end := time.Now().Add(o.patience)
	for round := 0; len(kept) < o.rounds && (round < o.rounds || time.Now().Before(end)); round++ {
		waitForQuiet(end)
		was := load.Now()
		took := make([]float64, len(forms))
		for _, i := range stats.Order(len(forms), round, len(forms)) {
			if forms[i].figure != nil {
				took[i] = forms[i].figure()
				continue
			}
			runtime.GC() // of what the form before has left
			took[i] = float64(timed(repeat[i], forms[i].run)) / float64(repeat[i]) / float64(p.items())
		}
		used, known := load.Now().OthersSince(was)
		if known && used > quiet {
			noisy, sum = append(noisy, took), sum+used
		} else {
			kept, least = append(kept, took), least+used
		}
	}
	if len(kept) < enough {
		kept, least = append(kept, noisy...), least+sum
	}
	all = make([]measured, len(forms))
	for i, f := range forms {
		all[i].name = f.name
		for _, took := range kept {
			all[i].took = append(all[i].took, took[i])
			all[i].ratios = append(all[i].ratios, took[0]/took[i])
		}
	}
	return all, least / float64(len(kept))
}

// waitForQuiet returns once others have left the machine alone for a moment, or at
// the end.
func waitForQuiet(end time.Time) {
	for time.Now().Before(end) {
		was := load.Now()
		time.Sleep(10 * tick)
		if used, known := load.Now().OthersSince(was); !known || used <= quiet {
			return
		}
	}
}

// tick is how exactly Linux tells the time that CPUs were idle.
const tick = 10 * time.Millisecond

// items is how many a time is divided by.
func (p pitfall) items() int {
	if p.item == "" {
		return 1
	}
	return p.n
}

func timed(n int, f func() int) time.Duration {
	began := time.Now()
	for range n {
		f()
	}
	return time.Since(began)
}
