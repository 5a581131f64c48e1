package sim_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
	"github.com/sweetspot-go/sweetspot/sim"
)

func TestDistMoments(t *testing.T) {
	rerun.Skip(t)
	const count = 200_000
	for spec, wantCV := range map[string]float64{
		"const(3ms)": 0, "exp(3ms)": 1, "ln(3ms, 0.5)": 0.5, "ln(3ms, 1)": 1, "pareto(3ms, 4.5)": 1 / math.Sqrt(4.5*2.5),
		"uniform(1ms, 5ms)": 2 / (3 * math.Sqrt(3)), "uniform(0s, 2ms)": 1 / math.Sqrt(3),
	} {
		d, err := sim.ParseDist(spec)
		if err != nil {
			t.Fatal(err)
		}
		var sum, sum2 float64
		for _, x := range sim.Draw(d, 7, count) {
			sum += x
			sum2 += x * x
		}
		mean := sum / count
		cv := math.Sqrt(max(0, sum2/count-mean*mean)) / mean
		if math.Abs(mean/d.Mean()-1) > 0.01 {
			t.Errorf("%s: mean %v, want %v", spec, mean, d.Mean())
		}
		if math.Abs(cv-wantCV) > 0.03 {
			t.Errorf("%s: coefficient of variation %v, want %v", spec, cv, wantCV)
		}
	}
}

// A Pareto of exponent 1.5 has no variance to compare, but a median and a tail.
func TestParetoTail(t *testing.T) {
	rerun.Skip(t)
	const count = 200_000
	d := sim.Dist{Kind: sim.Pareto, A: 3, B: 1.5}
	least := 3 * 0.5 / 1.5
	var aboveMedian, aboveTail int
	for _, x := range sim.Draw(d, 7, count) {
		if x < least {
			t.Fatalf("drew %v, below the minimum %v", x, least)
		}
		if x > least*math.Pow(2, 1/1.5) {
			aboveMedian++
		}
		if x > least*math.Pow(100, 1/1.5) {
			aboveTail++
		}
	}
	if share := float64(aboveMedian) / count; math.Abs(share-0.5) > 0.005 {
		t.Errorf("%v of the draws are above the median", share)
	}
	if share := float64(aboveTail) / count; math.Abs(share-0.01) > 0.001 {
		t.Errorf("%v of the draws are above the 99th percentile", share)
	}
}

func TestParseDistErrors(t *testing.T) {
	for spec, want := range map[string]string{
		"":                "want const(mean)",
		"5ms":             "want const(mean)",
		"gauss(5ms)":      "want const(mean)",
		"ln(5ms)":         "takes 2 argument(s), got 1",
		"exp(5ms, 1)":     "takes 1 argument(s), got 2",
		"exp(5)":          "not a time with a unit",
		"ln(5ms, x)":      "not a number",
		"ln(5ms, 0)":      "must be above 0",
		"ln(5ms, NaN)":    "must be above 0",
		"exp(0s)":         "the mean must be above 0",
		"const(-1ms)":     "the mean must be above 0",
		"pareto(5ms, 1)":  "exponent must be above 1",
		"uniform(5ms,5s":  "want const(mean)",
		"uniform(5s,5ms)": "0 <= low < high",
	} {
		if d, err := sim.ParseDist(spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseDist(%q) = %v, %v; want an error with %q", spec, d, err, want)
		}
	}
}

func TestDistRoundTrip(t *testing.T) {
	for _, spec := range []string{"none", "const(3ms)", "exp(20µs)", "ln(1.5s, 0.5)", "pareto(2ms, 1.5)", "uniform(0s, 1ms)"} {
		d, err := sim.ParseDist(spec)
		if err != nil || d.String() != spec {
			t.Errorf("ParseDist(%q) = %v, %v", spec, d, err)
		}
	}
}

func ExampleParseDist() {
	d, err := sim.ParseDist("uniform(1ms, 9ms)")
	fmt.Println(d, err)
	fmt.Printf("%.3f s\n", d.Mean())
	_, err = sim.ParseDist("ln(5ms)")
	fmt.Println(err)
	// Output:
	// uniform(1ms, 9ms) <nil>
	// 0.005 s
	// distribution "ln(5ms)": ln takes 2 argument(s), got 1
}

func ExampleDist_Mean() {
	fmt.Println(sim.Dist{Kind: sim.Uniform, A: 1, B: 3}.Mean())
	// Output: 2
}

func ExampleDist_String() {
	fmt.Println(sim.Dist{Kind: sim.Lognormal, A: 0.25, B: 1})
	// Output: ln(250ms, 1)
}
