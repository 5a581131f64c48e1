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

func (v view) median(id string, of metric) float64 {
	return stats.Median(v.all(id, of))
}

// all returns a metric of a subject in all rounds.
func (v view) all(id string, of metric) []float64 {
	var xs []float64
	for _, s := range v.samples[id] {
		xs = append(xs, of(s))
	}
	return xs
}

// ratio returns the median of the ratios of two subjects.
func (v view) ratio(id, base string, of metric) float64 {
	return stats.Median(v.ratios(id, base, of))
}

// ratios returns the ratios of two subjects, each formed within one round.
func (v view) ratios(id, base string, of metric) []float64 {
	bases := make(map[int]float64)
	for _, s := range v.samples[base] {
		bases[s.Round] = of(s)
	}
	var xs []float64
	for _, s := range v.samples[id] {
		if b := bases[s.Round]; b > 0 {
			xs = append(xs, of(s)/b)
		}
	}
	return xs
}

// againstBest returns the ratios of a row to the best of others. Who is the best of
// the even rounds is compared in the odd ones, and the other way round: the best of
// many owes its place to luck as well, which would count against the row.
func (v view) againstBest(row string, rows []string, column string, procs int, base string) (best string, xs []float64) {
	for odd := range 2 {
		choose, compare := v.half(odd), v.half(1-odd)
		name, _ := choose.best(rows, column, procs, base)
		if name == "" { // there is but one round
			name, _ = compare.best(rows, column, procs, base)
		}
		xs = append(xs, compare.ratios(id(row, column, procs), id(name, column, procs), ns)...)
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
func (v view) best(rows []string, column string, procs int, base string) (row string, ratio float64) {
	ratio = math.NaN()
	for _, r := range rows {
		if x := v.ratio(id(r, column, procs), base, ns); x < ratio || math.IsNaN(ratio) && !math.IsNaN(x) {
			row, ratio = r, x
		}
	}
	return row, ratio
}

// timed returns the time of a subject and, in brackets, as a multiple of another one's;
// nothing if it was not measured.
func (v view) timed(id, base string) string {
	if !v.measured(id) {
		return ""
	}
	return fmt.Sprintf("%s (%s)", stats.FormatTime(v.median(id, ns)), stats.FormatRatio(v.ratio(id, base, ns)))
}

func (v view) measured(id string) bool { return len(v.samples[id]) > 0 }
