package sim_test

import (
	"fmt"
	"testing"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
	"github.com/sweetspot-go/sweetspot/sim"
)

func TestSweetSpots(t *testing.T) {
	rerun.Skip(t)
	want := map[string]int{
		"cpu2": 2, "cpu4": 4, "cpu8": 8, "cpu64": 63, "io3000": 2941, "mixed": 48, "down32": 34, "usl24": 20,
		"thrash40": 40, "extload": 11, "extcpu": 8, "step16-128": 18, "longcpu": 4, "longio": 99, "short20us": 4,
		"pareto": 48, "paretoio": 48, "open50": 20, "plateau": 1000, "waitstep": 48, "spin8": 3, "smt16": 8, "disk1": 1,
		"balanced": 52, "patches": 52, "scanned": 52,
	}
	all := sim.Scenarios()
	if len(all) != len(want) {
		t.Errorf("%d scenarios, want %d", len(all), len(want))
	}
	for _, s := range all {
		if n := sim.SweetSpot(s, 0); n != want[s.Name] {
			t.Errorf("%s: N* is %d, want %d", s.Name, n, want[s.Name])
		}
	}
}

func ExampleScenarios() {
	s := sim.Scenarios()[0]
	fmt.Println(s.Name, s.P, s.Seconds, s.Phases[0].CPU)
	// Output: cpu2 2 30 ln(10ms, 1)
}
