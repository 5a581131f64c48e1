package lab

import (
	"runtime"
	"time"

	"github.com/sweetspot-go/sweetspot/lab/figures"
)

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

// removed returns how much less b is than a, formed within rounds.
func removed(a, b *figures.Point) estimate { return estimateOf(differences(a, b)) }

func differences(a, b *figures.Point) []float64 {
	return byRound(a, b, func(x, y float64) float64 { return x - y })
}
