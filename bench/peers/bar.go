package main

import (
	"fmt"
	"math"
)

// A bar is what a figure should be at most.
type bar struct {
	work  string // what is measured
	want  string // in words
	got   float64
	limit float64
	show  func(float64) string
}

// ratioBar is a bar on a ratio to something.
func ratioBar(work string, got, limit float64, to string) bar {
	return bar{work, fmt.Sprintf("≤ %s x %s", factor(limit), to), got, limit, factor}
}

// verdict says how the figure stands to the bar.
func (b bar) verdict() string {
	switch {
	case math.IsNaN(b.got):
		return "not measured"
	case b.got <= b.limit:
		return "met"
	}
	return "**NOT MET**"
}

func (b bar) missed() bool { return b.got > b.limit }

// barTable lists bars.
func barTable(bars []bar) table {
	t := table{head: []string{"work", "bar", "measured", ""}, text: true}
	for _, b := range bars {
		t.rows = append(t.rows, []string{b.work, b.want, b.show(b.got), b.verdict()})
	}
	return t
}
