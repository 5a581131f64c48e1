package lab_test

import (
	"slices"
	"testing"

	"github.com/sweetspot-go/sweetspot/lab"
	"github.com/sweetspot-go/sweetspot/lab/figures"
)

// With six samples the interval of 95 % spans all, with ten it leaves out the
// outermost; with fewer than six there is none, and all are spanned.
func TestEstimate(t *testing.T) {
	for _, c := range []struct {
		samples []float64
		want    lab.Estimate
	}{
		{[]float64{7}, lab.Estimate{7, 7, 7}},
		{[]float64{3, 1, 2}, lab.Estimate{2, 1, 3}},
		{[]float64{6, 1, 5, 2, 4, 3}, lab.Estimate{3.5, 1, 6}},
		{[]float64{10, 1, 9, 2, 8, 3, 7, 4, 6, 5}, lab.Estimate{5.5, 2, 9}},
	} {
		before := slices.Clone(c.samples)
		if got := lab.EstimateOf(c.samples); got != c.want {
			t.Errorf("%v: %v, want %v", before, got, c.want)
		}
		if !slices.Equal(c.samples, before) {
			t.Errorf("the samples %v have become %v: rounds have an order", before, c.samples)
		}
	}
}

func measured(label string, x float64, ours bool, samples ...float64) figures.Point {
	e := lab.EstimateOf(samples)
	return figures.Point{Label: label, X: x, Y: e.Y, Low: e.Low, High: e.High, Unit: "ms", Samples: samples, Ours: ours}
}

// A disturbance of a round is in both samples of it, so that it falls out.
func TestRatiosAreWithinRounds(t *testing.T) {
	a, b := measured("a", 0, false, 2, 20, 4, 6, 2, 8), measured("b", 0, false, 1, 10, 2, 3, 1, 4)
	if got, want := lab.Ratio(&a, &b), (lab.Estimate{2, 2, 2}); got != want {
		t.Errorf("%v, want %v", got, want)
	}
}

// Of many that are alike, the best is the luckiest: it must not be compared in the
// rounds in which it had its luck.
func TestAnswerIsNotToTheLuckiest(t *testing.T) {
	// Each is at 10 but for the round of its luck, in which it is at 5; ours is at 10.
	const rounds = 6
	steady := slices.Repeat([]float64{10}, rounds)
	ps := []figures.Point{measured("Map", 0, true, steady...)}
	for i := range 8 {
		samples := slices.Clone(steady)
		for k := range rounds {
			if k != i%rounds && (k+i)%2 == 0 {
				samples[k] = 5
			}
		}
		ps = append(ps, measured("Do", float64(i+1), false, samples...))
	}
	o := lab.Answer("lower", "workers", ps)
	if o.Ratio != 1 {
		t.Errorf("ours is %g times as good as %s, want 1", o.Ratio, o.Best)
	}
}

// The best of ours is compared with the best of the others, whichever way is
// better; what is aside does not count.
func TestAnswer(t *testing.T) {
	ps := []figures.Point{
		measured("Do", 2, false, 4, 4), measured("Do", 8, false, 8, 8), measured("loop", 0, false, 5, 5),
		measured("Map", 0, true, 2, 2), measured("MapSeq", 0, true, 16, 16), measured("allocations", 0, false, 1, 1),
	}
	ps[5].Aside = true
	for _, c := range []struct {
		better, axis, label, best string
		ratio                     float64
	}{
		{"lower", "workers", "Map", "Do, workers 2", 2},
		{"higher", "workers", "MapSeq", "Do, workers 8", 2},
		{"lower", "", "Map", "Do", 2},
	} {
		o := lab.Answer(c.better, c.axis, ps)
		if o.Label != c.label || o.Best != c.best || o.Ratio != c.ratio || o.Low != c.ratio || o.High != c.ratio || o.Unit != "ms" {
			t.Errorf("%s: %+v, want %s beside %s, %v", c.better, o, c.label, c.best, c.ratio)
		}
	}
}
