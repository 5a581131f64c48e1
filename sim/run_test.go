package sim_test

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/rerun"
	"github.com/sweetspot-go/sweetspot/sim"
)

// law makes a Controller of a function.
type law func(control.Reading) control.Decision

func (f law) Next(r control.Reading) control.Decision { return f(r) }

// sweep moves the limit up and down all the time.
func sweep() control.Controller {
	return law(func(r control.Reading) control.Decision {
		return control.Decision{Limit: 1 + int(r.Completed+int64(r.At/time.Millisecond))%97, After: 30 * time.Millisecond}
	})
}

func scenario(t *testing.T, name string) sim.Scenario {
	t.Helper()
	for _, s := range sim.Scenarios() {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("no scenario %s", name)
	panic("unreachable")
}

func TestRunIsDeterministic(t *testing.T) {
	for _, name := range []string{"extload", "step16-128", "open50", "pareto"} {
		s := scenario(t, name)
		s.Seconds = 31
		s.Phases = s.Phases[:min(len(s.Phases), 2)]
		run := func(seed uint64) *sim.Result {
			r, err := sim.Run(s, seed, sweep())
			if err != nil {
				t.Fatal(err)
			}
			if math.IsNaN(r.Recover) {
				r.Recover = -1 // so that equal results are equal
			}
			return r
		}
		a, b, c := run(3), run(3), run(4)
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%s: two runs with one seed differ", name)
		}
		if a.Completed == c.Completed && a.Act == c.Act {
			t.Errorf("%s: another seed gives the same", name)
		}
		if len(a.Changes) == 0 || len(a.Trace) != int(s.Seconds*10) {
			t.Errorf("%s: %d changes, %d points", name, len(a.Changes), len(a.Trace))
		}
	}
}

// The sweet spot itself scores 1, and what really completes agrees.
func TestFixedSweetSpotScoresOne(t *testing.T) {
	rerun.Skip(t)
	for _, s := range sim.Scenarios() {
		if len(s.Phases) == 1 { // 20,000 units will do
			s.Seconds = min(s.Seconds, max(3, math.Ceil(20_000/sim.Throughput(s, 0, sim.SweetSpot(s, 0)))))
		} else {
			s.Seconds /= 5
			for i := range s.Phases {
				s.Phases[i].From /= 5
			}
		}
		r, err := sim.Run(s, 1, law(func(r control.Reading) control.Decision {
			return control.Decision{Limit: sim.SweetSpot(s, r.At.Seconds())}
		}))
		if err != nil {
			t.Fatal(err)
		}
		start := 0.01 / s.Seconds // the limit in the first tick is the number of CPUs
		if !closeTo(r.Score, 1, 0.001+start) || !closeTo(r.Last, 1, 0.002) || !closeTo(r.Ratio, 1, 1e-9) || r.T95 > 0.011 {
			t.Errorf("%s: score %v, last %v, ratio %v, t95 %v", s.Name, r.Score, r.Last, r.Ratio, r.T95)
		}
		if steps := len(s.Phases) > 1; steps == math.IsNaN(r.Recover) || r.Recover > 0.011 {
			t.Errorf("%s: recovery %v", s.Name, r.Recover)
		}
		tolerance := 2/math.Sqrt(float64(r.Completed)) + 0.03 // chance, and the noise of the speed
		if p := s.Phases[0]; p.CPU.Kind == sim.Pareto || p.Service.Kind == sim.Pareto {
			tolerance = 0.08 // infinite variance: rare units carry much of the work
		}
		if s.Patches > 0 {
			tolerance += 2 * s.Patches * math.Sqrt(2*s.PatchSize/float64(r.Completed)) // few patches
		}
		if !closeTo(r.Act, 1, tolerance) {
			t.Errorf("%s: real completions are %v of the ideal", s.Name, r.Act)
		}
		if r.NStar != sim.SweetSpot(s, 0) {
			t.Errorf("%s: NStar %d", s.Name, r.NStar)
		}
	}
}

// A limit that never changes scores X(limit)/X(N*), exactly.
func TestScoreIsTheTruth(t *testing.T) {
	rerun.Skip(t)
	s := scenario(t, "thrash40")
	const n = 70
	r, err := sim.Run(s, 1, law(func(control.Reading) control.Decision { return control.Decision{Limit: n} }))
	if err != nil {
		t.Fatal(err)
	}
	if want := sim.Throughput(s, 0, n) / sim.Throughput(s, 0, 40); !closeTo(r.Last, want, 1e-9) {
		t.Errorf("last third %v, want %v", r.Last, want)
	}
	if !closeTo(r.Act, r.Score, 0.02) {
		t.Errorf("really completed %v, score %v", r.Act, r.Score)
	}
}

// A controller may ask for anything.
func TestRunClampsTheLimit(t *testing.T) {
	s := parse(t, "cpus 2\ncpu exp(1ms)")
	s.Seconds = 1
	r, err := sim.Run(s, 1, law(func(r control.Reading) control.Decision {
		limit := math.MinInt
		if r.At > 500*time.Millisecond {
			limit = math.MaxInt
		}
		return control.Decision{Limit: limit, After: math.MaxInt64}
	}))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Changes) != 1 || r.Changes[0].To != 1 {
		t.Errorf("changes %+v, want one, to 1: After is for ever", r.Changes)
	}
	r, err = sim.Run(s, 1, law(func(control.Reading) control.Decision {
		return control.Decision{Limit: math.MaxInt, After: math.MinInt64}
	}))
	if err != nil || r.Trace[0].Limit != sim.MaxLimit || r.Trace[0].InFlight != sim.MaxLimit {
		t.Errorf("%v; limit %d, in flight %d; want %d", err, r.Trace[0].Limit, r.Trace[0].InFlight, sim.MaxLimit)
	}
}

func TestRunErrors(t *testing.T) {
	s := parse(t, "cpus 2\ncpu exp(1ms)")
	if _, err := sim.Run(s, 1, nil); err == nil || !strings.Contains(err.Error(), "controller is nil") {
		t.Errorf("nil controller: %v", err)
	}
	s.P = 0
	if _, err := sim.Run(s, 1, sweep()); err == nil || !strings.Contains(err.Error(), "cpus is 0") {
		t.Errorf("no CPU: %v", err)
	}
}

func ExampleRun() {
	s := sim.Scenarios()[5] // mixed: 1 ms of CPU and 9 ms of waiting on 4 CPUs
	r, err := sim.Run(s, 1, control.NewFixed(40))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("score %.3f with %.2f of the %d it takes\n", r.Score, r.Ratio, r.NStar)
	// Output: score 0.927 with 0.83 of the 48 it takes
}

func BenchmarkRun(b *testing.B) {
	for _, s := range sim.Scenarios() {
		b.Run(s.Name, func(b *testing.B) {
			n := sim.SweetSpot(s, 0)
			var units int64
			for b.Loop() {
				r, err := sim.Run(s, 1, control.NewFixed(n))
				if err != nil {
					b.Fatal(err)
				}
				units += r.Completed
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(units), "ns/unit")
		})
	}
}
