package sim_test

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/sim"
)

func TestJudge(t *testing.T) {
	scenarios := []sim.Scenario{scenario(t, "cpu4"), scenario(t, "extcpu"), scenario(t, "disk1")}
	seeds := []uint64{1, 2, 3, 4} // the median of 4 is the mean of the middle two
	v, err := sim.Judge(scenarios, seeds, sweep)
	if err != nil {
		t.Fatal(err)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	again, err := sim.Judge(scenarios, seeds, sweep)
	if err != nil {
		t.Fatal(err)
	}
	if v.String() != again.String() {
		t.Errorf("the verdict depends on the number of CPUs:\n%v%v", v, again)
	}
	var mean, worst float64
	for i, s := range scenarios {
		row := v.Rows[i]
		var scores []float64
		for _, seed := range seeds {
			r, err := sim.Run(s, seed, sweep())
			if err != nil {
				t.Fatal(err)
			}
			scores = append(scores, r.Score)
		}
		low, high, sum := math.Inf(1), math.Inf(-1), 0.0
		for _, x := range scores {
			low, high, sum = min(low, x), max(high, x), sum+x
		}
		if row.Name != s.Name || !closeTo(row.Worst, low, 1e-12) || !closeTo(row.Score, (sum-low-high)/2, 1e-12) {
			t.Errorf("%s: score %v, worst %v of %v", row.Name, row.Score, row.Worst, scores)
		}
		mean, worst = mean+row.Score/3, worst+row.Worst/3
	}
	if !closeTo(v.Mean, mean, 1e-12) || !closeTo(v.MeanWorst, worst, 1e-12) || v.Min > v.Rows[0].Worst || v.Min > v.Rows[1].Worst {
		t.Errorf("mean %v, mean of worst %v, min %v", v.Mean, v.MeanWorst, v.Min)
	}
	if len(v.First) != 3 || len(v.First[2].Trace) == 0 {
		t.Errorf("no results of the first seed: %v", v.First)
	}
	if v.Rows[1].NeverRecovered == 0 || !strings.Contains(v.String(), "never") {
		t.Errorf("a limit that is always moving recovered: %+v", v.Rows[1])
	}
}

func TestJudgeErrors(t *testing.T) {
	if _, err := sim.Judge(nil, []uint64{1}, sweep); err == nil {
		t.Error("no scenario, no error")
	}
	if _, err := sim.Judge(sim.Scenarios(), nil, sweep); err == nil {
		t.Error("no seed, no error")
	}
	if _, err := sim.Judge(make([]sim.Scenario, 3), []uint64{1}, sweep); err == nil {
		t.Error("empty scenarios, no error")
	}
}

func ExampleJudge() {
	v, err := sim.Judge(sim.Scenarios()[:2], []uint64{1, 2, 3}, func() control.Controller { return control.NewFixed(1) })
	fmt.Println(v, err)
	// Output:
	// scenario         N*  score  worst   last   N/N*    t95 recover    act
	// cpu2              2  0.500  0.500  0.500   0.50  never       -  0.493
	// cpu4              4  0.250  0.250  0.250   0.25  never       -  0.247
	// mean 0.3752, mean of worst 0.3752, worst run 0.250
	//  <nil>
}

func ExampleVerdict_String() {
	v, _ := sim.Judge(sim.Scenarios()[:1], []uint64{1}, func() control.Controller { return control.NewFixed(2) })
	fmt.Println(strings.Count(v.String(), "\n"), "lines")
	// Output: 3 lines
}
