package sim_test

import (
	"fmt"
	"testing"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
	"github.com/sweetspot-go/sweetspot/sim"
)

// The sweet spot is the least number with 98 % of the best, whatever the shape.
func TestSweetSpotDefinition(t *testing.T) {
	rerun.Skip(t)
	for _, s := range sim.Scenarios() {
		const upTo = 4000 // above every N* here; the curves only fall after that
		var xs []float64
		most := sim.Throughput(s, 0, sim.MaxLimit)
		for n := 1; n <= upTo; n++ {
			xs = append(xs, sim.Throughput(s, 0, n))
			most = max(most, xs[n-1])
		}
		n := sim.SweetSpot(s, 0)
		if n > upTo || xs[n-1] < 0.98*most {
			t.Errorf("%s: %d gets less than 98 %% of the best", s.Name, n)
			continue
		}
		for i, x := range xs[:n-1] {
			if x >= 0.98*most {
				t.Errorf("%s: N* is %d but %d gets %v of the best", s.Name, n, i+1, x/most)
				break
			}
		}
	}
}

// The truth against simulation with fixed numbers in flight.
func TestTruthAgainstSimulation(t *testing.T) {
	rerun.Skip(t)
	seen := map[string]bool{}
	for _, s := range sim.Scenarios() {
		for i, p := range s.Phases {
			if p.Arrivals > 0 {
				p.Arrivals = 0
				s.Phases[i] = p
			}
			key := fmt.Sprint(p.Wait, p.Service, p.Servers, p.CPU, p.Slow, float64(s.P)-p.Load)
			if seen[key] {
				continue
			}
			seen[key] = true
			star := sim.SweetSpot(s, p.From)
			for _, n := range []int{max(1, star/2), star, 1 + star*8/5} {
				m := sim.Measure(s, i, n, 2, 1000+4*int64(n), 10_000)
				if !closeTo(m.Rate, m.Expected, 0.025) {
					t.Errorf("%s from %v s, %d in flight: simulated %v, expected %v", s.Name, p.From, n, m.Rate, m.Expected)
				}
			}
		}
	}
}

// Beyond its table the truth is a formula: here 40,000 slots and long waits.
func TestTruthBeyondTheTable(t *testing.T) {
	s := parse(t, "cpus 4\nwait exp(10s)\ncpu exp(1ms)")
	if n := sim.SweetSpot(s, 0); n < 39_000 || n > 40_000 {
		t.Errorf("N* is %d, want about 0.98 x 4 cores x 10.001 s / 1 ms = 39204", n)
	}
	if x := sim.Throughput(s, 0, 80_000); !closeTo(x, 4000, 0.001) {
		t.Errorf("saturated at %v, want 4000", x)
	}
}

func TestOpenTruthIsTheArrivals(t *testing.T) {
	s := parse(t, "cpus 4\nwait ln(9ms, 1)\ncpu ln(1ms, 1)\narrivals 2000\nat 30s\narrivals 0")
	if x := sim.Throughput(s, 0, 500); x != 2000 {
		t.Errorf("open: %v, want 2000", x)
	}
	if x := sim.Throughput(s, 29, 1); !closeTo(x, 100, 1e-9) {
		t.Errorf("open, one in flight: %v, want 100", x)
	}
	if x := sim.Throughput(s, 30, 500); !closeTo(x, 4000, 1e-6) {
		t.Errorf("closed: %v, want 4000", x)
	}
}

func ExampleThroughput() {
	mixed := sim.Scenarios()[5]
	for _, n := range []int{1, 4, 48, 1000} {
		fmt.Printf("%4d in flight: %.0f/s\n", n, sim.Throughput(mixed, 0, n))
	}
	// Output:
	//    1 in flight: 100/s
	//    4 in flight: 400/s
	//   48 in flight: 3934/s
	// 1000 in flight: 4000/s
}

func ExampleSweetSpot() {
	for _, s := range sim.Scenarios()[:4] {
		fmt.Println(s.Name, sim.SweetSpot(s, 0))
	}
	// Output:
	// cpu2 2
	// cpu4 4
	// cpu8 8
	// cpu64 63
}
