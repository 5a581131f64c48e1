package lab_test

import (
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/lab"
	"github.com/sweetspot-go/sweetspot/lab/figures"
)

func TestPointsOfTheDiagnosis(t *testing.T) {
	if _, _, article := lab.PoolSizes("A8"); article != 30_000 {
		t.Errorf("the article profiled %d units, want 30000", article)
	}
	for _, p := range lab.PoolPoints("A8", "quick") {
		figure, err := p.Measure(2)
		// On a busy machine a profile may have a few samples only.
		for tries := 0; err == nil && strings.HasSuffix(p.Label, ", runtime") && (figure <= 0 || figure >= 100) && tries < 50; tries++ {
			figure, err = p.Measure(2)
		}
		if err != nil {
			t.Fatalf("%s: %v", p.Name, err)
		}
		switch {
		case strings.HasSuffix(p.Label, ", runtime"):
			// A unit that allocates 20,000 times is not all work, nor all else.
			if figure <= 0 || figure >= 100 || !p.Aside {
				t.Errorf("%s has %g %% of its time in the runtime, aside %t", p.Name, figure, p.Aside)
			}
		case strings.HasSuffix(p.Label, ", allocations"):
			if figure < 2*lab.Hashes || figure > 2.2*lab.Hashes || !p.Aside {
				t.Errorf("%s allocates %g times, want two for each of %d hashes, aside %t", p.Name, figure, lab.Hashes, p.Aside)
			}
		case figure <= 0 || p.Aside:
			t.Errorf("%s takes %g %s, aside %t", p.Name, figure, p.Unit, p.Aside)
		}
	}
}

func TestVerdictsOfTheDiagnosis(t *testing.T) {
	// made is of 12 workers, but those of 24 are so much more.
	made := func(time, allocations, share float64) func(string, float64) float64 {
		return func(label string, x float64) float64 {
			y, more := 20.0, time
			if strings.HasSuffix(label, ", allocations") {
				y, more = 20_000, allocations
			}
			switch {
			case strings.HasSuffix(label, ", runtime") && x == 24:
				return 60 + share
			case strings.HasSuffix(label, ", runtime"):
				return 60
			case x == 24:
				return y * more
			}
			return y
		}
	}
	for _, c := range []struct {
		what   string
		size   string
		y      func(string, float64) float64
		noise  float64 // in the shares of the runtime
		effect figures.Effect
		says   string
	}{
		{"as in the article", "full", made(0.99, 1, 3), 0, figures.Shows, "almost identical: with 24 workers 0.991 x ("},
		{"extra time", "full", made(0.99, 1, 3), 0, figures.Shows, "; some extra time in the runtime with 24"},
		{"less in the runtime", "full", made(1.01, 1, -3), 0, figures.Shows, "; some extra time in the runtime with 12"},
		{"the same", "full", made(1, 1, 0), 0, figures.Absent, "; the runtime's shares differ by no more than 0."},
		{"slower", "full", made(1.3, 1, 3), 0, figures.Absent, "not almost identical"},
		{"allocates more", "full", made(1, 2, 3), 0, figures.Absent, "not almost identical"},
		{"much more in the runtime", "full", made(1, 1, 20), 0, figures.Absent, "not almost identical"},
		{"quick", "quick", made(0.99, 1, 3), 0, figures.Shows, "; some extra time in the runtime with 24"},
		{"not sharp", "quick", made(1, 1, 0), 10, figures.Untold, "whether they are almost identical is undecided"},
		{"how sharp", "quick", made(1, 1, 0), 10, figures.Untold, "; the runtime's shares differ by no more than 10."},
		{"slower, and not sharp", "quick", made(1.3, 1, 0), 10, figures.Absent, "not almost identical"},
	} {
		ps := points("A8", c.y)
		for i := range ps {
			if ps[i].X == 24 && strings.HasSuffix(ps[i].Label, ", runtime") {
				for round := range ps[i].Samples {
					ps[i].Samples[round] += c.noise * float64(1-round%2*2)
				}
			}
		}
		v := lab.JudgeDiagnosis(c.size, ps)
		if v.Effect != c.effect {
			t.Errorf("%s: effect is %v, want %v: %s", c.what, v.Effect, c.effect, v.Words)
		}
		if !strings.Contains(v.Words, c.says) {
			t.Errorf("%s: %q, want it to say %q", c.what, v.Words, c.says)
		}
		if v.Ours == nil || len(v.Notes) != 2 {
			t.Errorf("%s: ours is %v, the notes are %q", c.what, v.Ours, v.Notes)
		}
	}
}
