package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/sweetspot-go/sweetspot/bench/internal/program"
	"github.com/sweetspot-go/sweetspot/bench/internal/stats"
	"github.com/sweetspot-go/sweetspot/internal/humanize"
)

// A row holds what was measured of one program at one size.
type row struct {
	name string
	n    int
	measured
}

// ratios are those of ours to the form by hand, each formed within one round.
func (r row) ratios() []float64 {
	xs := make([]float64, len(r.measured[ours]))
	for i, x := range r.measured[ours] {
		xs[i] = x / r.measured[byHand][i]
	}
	return xs
}

func table(rows []row) program.Table {
	t := program.Table{Head: slices.Concat([]string{"program", "n"}, formNames[:], []string{"ours / by hand"})}
	for _, r := range rows {
		cells := []string{r.name, humanize.Grouped(r.n)}
		for _, took := range r.measured {
			cells = append(cells, stats.FormatDigits(stats.Median(took)/float64(time.Millisecond))+" ms")
		}
		low, high := stats.Interval(r.ratios())
		t.Add(append(cells, fmt.Sprintf("%.2f (%.2f to %.2f)", stats.Median(r.ratios()), low, high))...)
	}
	return t
}
