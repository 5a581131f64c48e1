package diagnose_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/diagnose"
)

// scaled makes up throughputs by the law, with noise.
func scaled(one, contention, coherency, noise float64, rounds int, ns ...int) []diagnose.ScalePoint {
	random := rand.New(rand.NewPCG(7, 8))
	var points []diagnose.ScalePoint
	for _, n := range ns {
		p := diagnose.ScalePoint{N: n}
		x := float64(n)
		exact := one * x / (1 + contention*(x-1) + coherency*x*(x-1))
		for range rounds {
			p.Samples = append(p.Samples, exact*(1+noise*(2*random.Float64()-1)))
		}
		points = append(points, p)
	}
	return points
}

func TestFitFindsThePlantedLaw(t *testing.T) {
	for _, law := range []struct{ contention, coherency float64 }{{0, 0}, {0.05, 0}, {0.3, 0}, {0, 0.01}, {0.05, 0.002}, {0.1, 0.02}} {
		s := diagnose.ScalingOf("GOMAXPROCS", scaled(1000, law.contention, law.coherency, 0.01, 7, 1, 2, 3, 4, 6, 8, 12, 16), 16)
		if s.Fit == nil {
			t.Errorf("%+v: no fit: %s", law, s.Unfit)
			continue
		}
		u := s.Fit
		if math.Abs(u.One.Mid-1000) > 20 || math.Abs(u.Contention.Mid-law.contention) > 0.02 || math.Abs(u.Coherency.Mid-law.coherency) > 0.001 {
			t.Errorf("%+v: fitted %+v", law, u)
		}
		if u.Contention.Low > law.contention || u.Contention.High < law.contention {
			t.Errorf("%+v: the interval of the contention, %+v, does not hold it", law, u.Contention)
		}
		want := 0.0
		if law.coherency > 0 {
			want = math.Sqrt((1 - law.contention) / law.coherency)
		}
		if math.Abs(u.Peak-want) > 0.15*want {
			t.Errorf("%+v: the most is at %.1f, want %.1f", law, u.Peak, want)
		}
	}
}

func TestFitIsSilentWithoutDataThatCarryIt(t *testing.T) {
	enough := scaled(1000, 0.1, 0.01, 0.01, 5, 1, 2, 4, 8)
	stairs := scaled(1000, 0, 0, 0.01, 5, 1, 2, 4, 8)
	for i := range stairs[1].Samples { // two do what four do: no law of this kind
		stairs[1].Samples[i] *= 2
	}
	for name, c := range map[string]struct {
		points []diagnose.ScalePoint
		most   int
		says   string
	}{
		"two CPUs":          {enough[:2], 8, "takes 4 numbers"},
		"beyond the CPUs":   {enough, 4, "and there are 3"},
		"two rounds":        {scaled(1000, 0.1, 0.01, 0.01, 2, 1, 2, 4, 8), 8, "takes 3 rounds"},
		"another curve":     {stairs, 8, "misses a median"},
		"noise":             {scaled(1000, 0.1, 0.01, 0.6, 5, 1, 2, 3, 4), 8, ""},
		"no point":          {nil, 8, ""},
		"samples but empty": {[]diagnose.ScalePoint{{N: 1}}, 8, ""},
	} {
		s := diagnose.ScalingOf("GOMAXPROCS", c.points, c.most)
		if len(c.points) == 0 || name == "samples but empty" {
			if s != nil {
				t.Errorf("%s: there is a scaling: %+v", name, s)
			}
			continue
		}
		if s.Fit != nil || !strings.Contains(s.Unfit, c.says) {
			t.Errorf("%s: fit %+v, %q; want none, and %q", name, s.Fit, s.Unfit, c.says)
		}
	}
	if s := diagnose.ScalingOf("GOMAXPROCS", enough, 8); s.Fit == nil {
		t.Errorf("no fit where there should be one: %s", s.Unfit)
	}
}

func TestFitOfACollapse(t *testing.T) {
	// Faster than with 1/n no throughput falls by the law, whatever that of one is.
	var points []diagnose.ScalePoint
	for n, x := range map[int]float64{2: 100, 4: 40, 6: 15, 8: 8} {
		points = append(points, diagnose.ScalePoint{N: n, Samples: flat(x)})
	}
	s := diagnose.ScalingOf("GOMAXPROCS", points, 8)
	if s.Fit != nil || !strings.Contains(s.Unfit, "falls faster") {
		t.Errorf("fit %+v, %q; want none", s.Fit, s.Unfit)
	}
	if _, err := json.Marshal(s); err != nil {
		t.Error(err)
	}
}

func TestSpeedupsAreFormedWithinRounds(t *testing.T) {
	// In the second round the machine is half as fast.
	s := diagnose.ScalingOf("workers", []diagnose.ScalePoint{{N: 4, Samples: []float64{300, 150, 310}}, {N: 1, Samples: []float64{100, 50, 100}}}, 2)
	if p := s.Points[1]; p.N != 4 || p.Speedup.Mid != 3 || p.Speedup.Low != 3 || p.Speedup.High != 3.1 {
		t.Errorf("the speedup of 4 is %+v, want 3 (3 to 3.1)", p)
	}
}
