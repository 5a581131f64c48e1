package main

import (
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

// view returns the view of a group.
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

// A metric is a figure of a sample.
type metric func(s sample) float64

func ns(s sample) float64        { return s.NS }
func first(s sample) float64     { return s.First }
func perItem(s sample) float64   { return s.NS / float64(max(1, s.Items)) }
func mallocs(s sample) float64   { return s.Mallocs }
func overLoop(s sample) float64  { return s.NS - s.Loop }
func loopRatio(s sample) float64 { return s.NS / s.Loop }

// excess is what a call takes beyond the bar of 1.05 times the loop.
func excess(s sample) float64 { return s.NS - 1.05*s.Loop }

// median returns the median of a metric of a subject.
func (v view) median(id string, of metric) float64 {
	var xs []float64
	for _, s := range v.samples[id] {
		xs = append(xs, of(s))
	}
	return stats.Median(xs)
}

// ratio returns the median of the ratios of two subjects, each formed within one
// round.
func (v view) ratio(id, base string, of metric) float64 {
	return stats.Median(v.ratios(id, base, of, of))
}

func (v view) ratios(id, base string, of, ofBase metric) []float64 {
	bases := make(map[int]float64)
	for _, s := range v.samples[base] {
		bases[s.Round] = ofBase(s)
	}
	var xs []float64
	for _, s := range v.samples[id] {
		if b := bases[s.Round]; b > 0 {
			xs = append(xs, of(s)/b)
		}
	}
	return xs
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

func (v view) measured(id string) bool { return len(v.samples[id]) > 0 }
