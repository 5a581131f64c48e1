package lab_test

import (
	"testing"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
	"github.com/sweetspot-go/sweetspot/lab"
)

// The parameters that a search is said to have found are those that it finds.
func TestSearchedParameters(t *testing.T) {
	rerun.Skip(t)
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
	rerun.Skip(t)
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

// A sweep goes on until two numbers in a row are well below the best.
func TestSweepsEndWhereTheyFall(t *testing.T) {
	for _, c := range []struct {
		better string
		ys     []float64
		want   bool
	}{
		{"higher", nil, false},
		{"higher", []float64{1, 2, 4}, false},
		{"higher", []float64{1, 4, 3}, false},
		{"higher", []float64{1, 4, 3, 2}, true},
		{"higher", []float64{1, 4, 3, 4, 3}, false},
		{"higher", []float64{1, 4, 3.6, 3.6}, false},
		{"lower", []float64{4, 1, 2, 2}, true},
		{"lower", []float64{4, 2, 1}, false},
	} {
		if got := lab.Fallen(c.better, c.ys...); got != c.want {
			t.Errorf("%s is better, %v: fallen %v, want %v", c.better, c.ys, got, c.want)
		}
	}
}
