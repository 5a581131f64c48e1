package main

import (
	"fmt"
	"strings"
	"time"

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

// table returns the rows in Markdown.
func table(rows []row) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| program | n | %s | ours / by hand |\n|---|--:|--:|--:|--:|--:|\n", strings.Join(formNames[:], " | "))
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | %s |", r.name, humanize.Grouped(r.n))
		for _, took := range r.measured {
			fmt.Fprintf(&b, " %.3g ms |", stats.Median(took)/float64(time.Millisecond))
		}
		low, high := stats.Interval(r.ratios())
		fmt.Fprintf(&b, " %.2f (%.2f to %.2f) |\n", stats.Median(r.ratios()), low, high)
	}
	return b.String()
}
