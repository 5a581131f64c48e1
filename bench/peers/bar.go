package main

import (
	"fmt"
	"math"

	"github.com/sweetspot-go/sweetspot/bench/internal/program"
	"github.com/sweetspot-go/sweetspot/bench/internal/stats"
)

// A bar is what a figure should be at most.
type bar struct {
	work      string // what is measured
	want      string // in words
	got       float64
	low, high float64 // between these the true figure is
	limit     float64
	show      func(float64) string
}

// atMost sets a bar on the median of ratios to something.
func (r *findings) atMost(work string, ratios []float64, limit float64, to string) {
	low, high := stats.Interval(ratios)
	want := fmt.Sprintf("≤ %s x %s", stats.FormatRatio(limit), to)
	r.bars = append(r.bars, bar{work, want, stats.Median(ratios), low, high, limit, stats.FormatRatio})
}

func (b bar) verdict() string {
	switch {
	case math.IsNaN(b.got):
		return "not measured"
	case !b.missed():
		return "met"
	case b.low <= b.limit:
		return "not met, within the noise"
	}
	return "**NOT MET**"
}

func (b bar) missed() bool { return b.got > b.limit }

// measured returns the figure and where it may lie.
func (b bar) measured() string {
	if b.show(b.got) == "" || b.show(b.low) == b.show(b.high) {
		return b.show(b.got)
	}
	return fmt.Sprintf("%s (%s to %s)", b.show(b.got), b.show(b.low), b.show(b.high))
}

func barTable(bars []bar) program.Table {
	t := program.Table{Head: []string{"work", "bar", "measured", ""}, Words: true, Empty: missing}
	for _, b := range bars {
		t.Add(b.work, b.want, b.measured(), b.verdict())
	}
	return t
}
