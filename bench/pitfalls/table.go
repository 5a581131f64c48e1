package main

import (
	"fmt"
	"math"
	"time"

	"github.com/sweetspot-go/sweetspot/bench/internal/stats"
)

// row is the line of a form in the table of times.
func row(p pitfall, i int, m measured, others float64) string {
	took := span(stats.Median(m.took))
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
	return fmt.Sprintf("%s | %s | %s (%s to %s) |", labels(p, i, m.name), took, factor(stats.Median(m.ratios)), factor(low), factor(high))
}

// labels are the first cells of a row. The check and the work stand beside the
// first of their forms.
func labels(p pitfall, i int, name string) string {
	if i > 0 {
		return fmt.Sprintf("| | | %s", name)
	}
	return fmt.Sprintf("| %s | %s | %s", p.check, p.work, name)
}

func factor(x float64) string {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return "–"
	case x >= 100:
		return fmt.Sprintf("%.0f", x)
	case x >= 10:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.2f", x)
}

// span formats a time given in nanoseconds, with three digits.
func span(ns float64) string {
	for _, u := range []struct {
		name string
		ns   float64
	}{{"s", float64(time.Second)}, {"ms", float64(time.Millisecond)}, {"µs", float64(time.Microsecond)}} {
		if ns >= u.ns {
			return fmt.Sprintf("%.3g %s", ns/u.ns, u.name)
		}
	}
	return fmt.Sprintf("%.3g ns", ns)
}
