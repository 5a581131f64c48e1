package lab_test

import (
	"slices"
	"testing"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
	"github.com/sweetspot-go/sweetspot/lab"
)

// The parameters that a search is said to have found are those that it finds.
func TestSearchedParameters(t *testing.T) {
	rerun.Serial(t)
	if testing.Short() {
		t.Skip("it simulates for some seconds")
	}
	gain, rate, usedGain, usedRate, err := lab.SearchParameters()
	if err != nil || gain != usedGain || rate != usedRate {
		t.Errorf("a gain of %g and a change rate of %g, %v; used are %g and %g", gain, rate, err, usedGain, usedRate)
	}
}

// Each variant is better than the published law at what it is for, simulated. The
// published law has 0.007 of the best throughput on the plateau, and 0.72 with work that
// waits.
func TestVariants(t *testing.T) {
	rerun.Serial(t)
	for _, c := range []struct {
		name, scenario string
		least          float64
	}{
		{"by throughput", "plateau", 0.05},
		{"high target first", "mixed", 0.95},
		{"bold", "plateau", 0.9},
		{"predicting", "mixed", 0.95},
		{"parameters searched", "mixed", 0.8},
	} {
		if score, _, err := lab.SimulateVariant("the article's law, "+c.name, c.scenario); err != nil || score < c.least {
			t.Errorf("%s: the score in %s is %g, %v, want %g or more", c.name, c.scenario, score, err, c.least)
		}
	}
}

// What has the most in some rounds is compared in others, as it may owe that to luck.
func TestBestIsComparedInOtherRounds(t *testing.T) {
	for _, c := range []struct {
		fixed [][]float64
		want  []float64
	}{
		{[][]float64{{10, 10, 10, 10}, {12, 8, 12, 8}}, []float64{1, 1.25, 1, 1.25}},
		{[][]float64{{10, 10, 10, 10}, {20, 20, 20, 20}}, []float64{0.5, 0.5, 0.5, 0.5}},
		{[][]float64{{10, 10}, {20, 20}}, []float64{0.5, 0.5}}, // those two alone
		{[][]float64{{10}, {20}}, []float64{0.5}},
	} {
		if got := lab.Portions([]float64{10, 10, 10, 10}, c.fixed...); !slices.Equal(got, c.want) {
			t.Errorf("beside %v: %v, want %v", c.fixed, got, c.want)
		}
	}
}

// A sweep goes on through a dip, until a number has less than a third of the best.
func TestSweepsEndWhereTheyFall(t *testing.T) {
	for _, c := range []struct {
		better string
		ys     []float64
		want   bool
	}{
		{"higher", nil, false},
		{"higher", []float64{1, 2, 4}, false},
		{"higher", []float64{1, 4, 3}, false},
		{"higher", []float64{1, 4, 3, 2}, false},
		{"higher", []float64{7751, 5835, 4096}, false}, // blocks of 409,600 B, which 64 at a time double
		{"higher", []float64{1, 4, 2, 1.3}, true},
		{"lower", []float64{4, 1, 2, 2.9}, false},
		{"lower", []float64{4, 1, 3.1}, true},
		{"lower", []float64{4, 2, 1}, false},
	} {
		if got := lab.Fallen(c.better, c.ys...); got != c.want {
			t.Errorf("%s is better, %v: fallen %v, want %v", c.better, c.ys, got, c.want)
		}
	}
}
