package main

import (
	"cmp"
	"fmt"

	"github.com/sweetspot-go/sweetspot/bench/internal/stats"
)

// row is the line of a form in the table of times.
func row(p pitfall, i int, m measured, others float64) string {
	took := stats.FormatTime(stats.Median(m.took))
	if p.item != "" {
		took += " / " + p.item
	}
	if i == 0 {
		mark := ""
		if others > quiet {
			mark = fmt.Sprintf("(others used %.1f CPUs)", others)
		}
		return fmt.Sprintf("%s | %s | %s |", labels(p, i, m.name), took, mark)
	}
	low, high := stats.Interval(m.ratios)
	return fmt.Sprintf("%s | %s | %s (%s to %s) |", labels(p, i, m.name), took, or(stats.Median(m.ratios)), or(low), or(high))
}

// labels are the first cells of a row. The check and the work stand beside the
// first of their forms.
func labels(p pitfall, i int, name string) string {
	if i > 0 {
		return fmt.Sprintf("| | | %s", name)
	}
	return fmt.Sprintf("| %s | %s | %s", p.check, p.work, name)
}

// or formats a ratio, and a dash for none.
func or(x float64) string { return cmp.Or(stats.FormatRatio(x), "–") }
