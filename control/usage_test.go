package control_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
)

func ExampleMetric_Usage() {
	from := control.Reading{At: 1 * time.Second, OwnCPU: 10, MachineCPU: 30, CPUs: 4}
	to := control.Reading{At: 3 * time.Second, OwnCPU: 12, MachineCPU: 36, CPUs: 4}
	for _, m := range []control.Metric{control.OwnCPU, control.MachineCPU} {
		fmt.Println(m.Usage(from, to))
	}
	// Output:
	// 25
	// 75
}

func ExampleMetric_String() {
	fmt.Println(control.OwnCPU, "and", control.MachineCPU)
	// Output: own CPU and machine CPU
}

func TestUsageOfOddWindows(t *testing.T) {
	second := control.Reading{At: time.Second, OwnCPU: 1, CPUs: 1}
	for _, c := range []struct {
		name     string
		from, to control.Reading
		want     float64
	}{
		{"no time", second, second, 0},
		{"time runs backwards", control.Reading{At: 2 * time.Second}, second, 0},
		{"CPUs unknown", control.Reading{}, control.Reading{At: 2 * time.Second, OwnCPU: 1}, 50},
		{"more than there is", control.Reading{}, control.Reading{At: time.Second, OwnCPU: 9, CPUs: 2}, 100},
		{"a counter that shrank", control.Reading{OwnCPU: 1}, control.Reading{At: time.Second, CPUs: 1}, 0},
		{"no number", control.Reading{}, control.Reading{At: time.Second, OwnCPU: math.NaN(), CPUs: 1}, 0},
		{"no end of CPUs", control.Reading{}, control.Reading{At: time.Second, OwnCPU: 1, CPUs: math.Inf(1)}, 0},
		{"half a CPU", control.Reading{}, control.Reading{At: time.Second, OwnCPU: 0.25, CPUs: 0.5}, 50},
	} {
		if got := control.OwnCPU.Usage(c.from, c.to); got != c.want {
			t.Errorf("%s: %v %%, want %v %%", c.name, got, c.want)
		}
	}
}

func TestMetricUnknown(t *testing.T) {
	if got, want := control.Metric(7).String(), "metric(7)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
