package main

import (
	"math"
	"runtime"

	"github.com/sweetspot-go/sweetspot/bench/internal/program"
	"github.com/sweetspot-go/sweetspot/bench/internal/score"
)

// A document is what -json writes. What could not be formed is null.
type document struct {
	Version   int       `json:"version"`
	Go        string    `json:"go"`
	CPUs      int       `json:"cpus"`
	Law       string    `json:"law"`
	Auto      float64   `json:"auto"`  // s
	Fixed     float64   `json:"fixed"` // s
	Rounds    int       `json:"rounds"`
	Workloads []verdict `json:"workloads"`
	Samples   []sample  `json:"samples"`
}

// A verdict is score.Verdict in JSON.
type verdict struct {
	Name           string       `json:"name"`
	Best           int          `json:"best"`
	BestRate       *float64     `json:"best_rate"`
	NStar          int          `json:"nstar"`
	AutoRate       *float64     `json:"auto_rate"`
	Ratio          *float64     `json:"ratio"`
	Ratios         []float64    `json:"ratios"`
	RatioOfMedians *float64     `json:"ratio_of_medians"`
	Chosen         score.Choice `json:"chosen"` // how the best was for the ratios
	LimitRatio     *float64     `json:"limit_ratio"`
	LimitRatios    []float64    `json:"limit_ratios"`
	RateMet        bool         `json:"rate_met"`
	LimitMet       bool         `json:"limit_met"`
}

func (b *bench) document() document {
	d := document{
		Version: 1, Go: runtime.Version(), CPUs: runtime.NumCPU(), Law: b.law,
		Auto: b.auto.Seconds(), Fixed: b.fixed.Seconds(), Rounds: b.rounds, Samples: b.samples,
	}
	for _, w := range b.workloads {
		d.Workloads = append(d.Workloads, newVerdict(w.name, b.sheets[w.name].Judge()))
	}
	return d
}

func newVerdict(name string, v score.Verdict) verdict {
	return verdict{
		Name: name, Best: v.Best, BestRate: finite(v.BestRate), NStar: v.Enough, AutoRate: finite(v.AutoRate),
		Ratio: finite(v.Ratio), Ratios: v.Ratios, RatioOfMedians: finite(v.RatioOfMedian), Chosen: v.Choice,
		LimitRatio: finite(v.LimitRatio), LimitRatios: v.LimitRatios, RateMet: v.RateMet(), LimitMet: v.LimitMet(),
	}
}

// finite returns nil for what JSON cannot hold.
func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// writeJSON writes the document to a file.
func (b *bench) writeJSON(file string) error {
	return program.WriteJSON(file, b.document())
}
