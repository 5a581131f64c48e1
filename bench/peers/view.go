package main

import (
	"fmt"
	"math"

	"github.com/sweetspot-go/sweetspot/bench/internal/stats"
)

// A view shows what was measured of one group: medians over the rounds, NaN for
// what was not measured.
type view struct {
	samples map[string][]sample // by id of the subject, in order of the rounds
	procs   int
	quick   bool
}

func (b *bench) view(g group) view {
	v := view{samples: make(map[string][]sample), procs: b.procs, quick: b.quick}
	for _, s := range b.samples {
		if s.Group == g.name && s.Error == "" {
			at := id(s.Row, s.Column, s.Procs)
			v.samples[at] = append(v.samples[at], s)
		}
	}
	return v
}

type metric func(s sample) float64

func ns(s sample) float64        { return s.NS }
func first(s sample) float64     { return s.First }
func perItem(s sample) float64   { return s.NS / float64(max(1, s.Items)) }
func mallocs(s sample) float64   { return s.Mallocs }
func overLoop(s sample) float64  { return s.NS - s.Loop }
func loopRatio(s sample) float64 { return s.NS / s.Loop }

// excess is what a call takes beyond the bar of 1.05 times the loop.
func excess(s sample) float64 { return s.NS - 1.05*s.Loop }

// on shows what was measured with a GOMAXPROCS.
func (v view) on(procs int) view {
	v.procs = procs
	return v
}

func (v view) of(row, column string) []sample { return v.samples[id(row, column, v.procs)] }

func (v view) median(row, column string, of metric) float64 {
	return stats.Median(v.all(row, column, of))
}

// all returns a metric of a subject in all rounds.
func (v view) all(row, column string, of metric) []float64 {
	return collect(v.of(row, column), of)
}

// ratio returns the median of the ratios of two rows.
func (v view) ratio(row, base, column string, of metric) float64 {
	return stats.Median(v.ratios(row, base, column, of))
}

// ratios returns the ratios of two rows, each formed within one round.
func (v view) ratios(row, base, column string, of metric) []float64 {
	bases := make(map[int]float64)
	for _, s := range v.of(base, column) {
		bases[s.Round] = of(s)
	}
	var xs []float64
	for _, s := range v.of(row, column) {
		if b := bases[s.Round]; b > 0 {
			xs = append(xs, of(s)/b)
		}
	}
	return xs
}

// againstBest returns the ratios of a row to the best of others. Who is the best of
// the even rounds is compared in the odd ones, and the other way round: the best of
// many owes its place to luck as well, which would count against the row.
func (v view) againstBest(row string, rows []string, column, base string) (best string, xs []float64) {
	for odd := range 2 {
		choose, compare := v.half(odd), v.half(1-odd)
		name, _ := choose.best(rows, column, base)
		if name == "" { // there is but one round
			name, _ = compare.best(rows, column, base)
		}
		xs = append(xs, compare.ratios(row, name, column, ns)...)
		if best != "" && best != name {
			name = best + ", " + name
		}
		best = name
	}
	return best, xs
}

// half returns the odd or the even rounds.
func (v view) half(odd int) view {
	h := view{samples: make(map[string][]sample), procs: v.procs, quick: v.quick}
	for at, samples := range v.samples {
		for _, s := range samples {
			if s.Round%2 == odd {
				h.samples[at] = append(h.samples[at], s)
			}
		}
	}
	return h
}

// best returns who of the rows has the smallest median ratio to base in a
// column, and NaN if none was measured.
func (v view) best(rows []string, column, base string) (row string, ratio float64) {
	ratio = math.NaN()
	for _, r := range rows {
		if x := v.ratio(r, base, column, ns); x < ratio || math.IsNaN(ratio) && !math.IsNaN(x) {
			row, ratio = r, x
		}
	}
	return row, ratio
}

// The cells of tables, of which those that were not measured are empty.

// each shows the median of a metric.
func (v view) each(of metric, show func(float64) string) func(row, column string) string {
	return func(row, c string) string { return show(v.median(row, c, of)) }
}

// over shows the time as a multiple of that of another row.
func (v view) over(base string) func(row, column string) string {
	return func(row, c string) string { return stats.FormatRatio(v.ratio(row, base, c, ns)) }
}

// timed shows the time and, in brackets, what over does.
func (v view) timed(base string) func(row, column string) string {
	return both(v.each(ns, stats.FormatTime), v.over(base))
}

// beside shows the median of a metric and, in brackets, the time as a multiple of the loop's.
func (v view) beside(of metric, show func(float64) string) func(row, column string) string {
	return both(v.each(of, show), v.each(loopRatio, stats.FormatRatio))
}

func both(first, second func(row, column string) string) func(row, column string) string {
	return func(row, c string) string {
		if x := first(row, c); x != "" {
			return fmt.Sprintf("%s (%s)", x, second(row, c))
		}
		return ""
	}
}
