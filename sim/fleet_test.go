package sim_test

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/rerun"
	"github.com/sweetspot-go/sweetspot/sim"
)

// fixed returns a law that keeps n.
func fixed(n int) func() control.Controller {
	return func() control.Controller { return control.NewFixed(n) }
}

func search() control.Controller { return control.NewSearch() }

// fleetOf returns a built-in fleet.
func fleetOf(t testing.TB, name string, workers, jobs int) sim.Fleet {
	t.Helper()
	for _, f := range sim.Fleets(workers, jobs) {
		if f.Name == name {
			return f
		}
	}
	t.Fatalf("no fleet %q", name)
	return sim.Fleet{}
}

func runFleet(t testing.TB, f sim.Fleet, seed uint64, laws sim.FleetLaws) *sim.FleetResult {
	t.Helper()
	r, err := sim.RunFleet(f, seed, laws)
	if err != nil {
		t.Fatal(err)
	}
	if r.Completed != int64(f.Jobs) {
		t.Fatalf("%d of %d jobs completed", r.Completed, f.Jobs)
	}
	return r
}

func ExampleRunFleet() {
	fleet := sim.Fleets(4, 10_000)[2] // a downstream that thrashes
	alone, err := sim.RunFleet(fleet, 1, sim.FleetLaws{})
	if err != nil {
		fmt.Println(err)
		return
	}
	together, err := sim.RunFleet(fleet, 1, sim.FleetLaws{
		Shared: func() control.Controller { return control.NewSearch() },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("a third faster with a shared limit:", together.Settled > 1.33*alone.Settled)
	// Output:
	// a third faster with a shared limit: true
}

func ExampleFleets() {
	for _, f := range sim.Fleets(4, 1000) {
		fmt.Printf("%s: %s\n", f.Name, f.About)
	}
	// Output:
	// own: 1 s of waiting and 2 s of CPU on the worker's own 4 CPUs; nothing is shared but the queue
	// shared: 20 ms at a downstream that serves 24 at a time, whoever asks
	// thrash: the same downstream, but slower with more than 24 there: half as fast with 96
}

func ExampleBestFleet() {
	rate, limit, err := sim.BestFleet(sim.Fleets(4, 0)[1], 1, 3000)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.1f thousand jobs/s with %d\n", rate/1000, limit)
	// Output:
	// 1.2 thousand jobs/s with 26
}

// TestFleetIsClosedNetwork compares fleets whose queue takes no time with the exact
// throughput of a closed network of as many jobs.
func TestFleetIsClosedNetwork(t *testing.T) {
	rerun.Skip(t)
	exp := func(mean float64) sim.Dist { return sim.Dist{Kind: sim.Exponential, A: mean} }
	for _, c := range []struct {
		workers, each, shared int
		wait, service, cpu    float64
		servers, cpus         int
	}{
		{1, 6, 0, 0.1, 0, 0.05, 0, 2},
		{1, 12, 0, 0.1, 0.02, 0, 3, 1},
		{4, 3, 0, 0.05, 0.02, 0, 6, 1},
		{6, 8, 10, 0.05, 0.02, 0, 6, 1}, // the shared limit holds
		{1, 8, 0, 0.02, 0.03, 0.02, 3, 2},
	} {
		f := sim.Fleet{Name: "closed", Workers: c.workers, CPUs: c.cpus, Jobs: 30_000, Servers: c.servers}
		p := sim.Phase{Servers: c.servers}
		for _, d := range []struct {
			mean float64
			both [2]*sim.Dist
		}{{c.wait, [2]*sim.Dist{&f.Wait, &p.Wait}}, {c.service, [2]*sim.Dist{&f.Service, &p.Service}}, {c.cpu, [2]*sim.Dist{&f.CPU, &p.CPU}}} {
			if d.mean > 0 {
				*d.both[0], *d.both[1] = exp(d.mean), exp(d.mean)
			}
		}
		laws, n := sim.FleetLaws{Worker: fixed(c.each)}, c.workers*c.each
		if c.shared > 0 {
			laws.Shared, laws.Start, n = fixed(c.shared), c.shared, c.shared
		}
		r := runFleet(t, f, 3, laws)
		want := sim.Throughput(sim.Scenario{Name: "x", P: c.cpus, Seconds: 10, Phases: []sim.Phase{p}}, 0, n)
		if math.Abs(r.Settled-want) > 0.03*want {
			t.Errorf("%+v: %.5g jobs/s, want %.5g", c, r.Settled, want)
		}
		if r.Peak != n {
			t.Errorf("%+v: peak %d, want %d", c, r.Peak, n)
		}
		if little := r.Rate * r.Residence; math.Abs(little-r.InFlight) > 0.01*little {
			t.Errorf("%+v: %v in flight, but rate times residence is %v", c, r.InFlight, little)
		}
	}
}

// TestFleetMessages counts what one worker with one permit must send: with no
// prefetch there are a request and a delivery, a result and an acknowledgement with
// their answers for each job.
func TestFleetMessages(t *testing.T) {
	rerun.Skip(t)
	f := fleetOf(t, "shared", 1, 1000)
	r := runFleet(t, f, 1, sim.FleetLaws{Worker: fixed(1)})
	if r.Messages < 6*1000-5 || r.Messages > 6*1000+10 || r.Stores != 3*1000 {
		t.Errorf("%d messages, %d stores", r.Messages, r.Stores)
	}
	busy := (float64(r.Messages)*f.Message + float64(r.Stores)*f.Store) / r.Seconds
	if math.Abs(r.Busy-busy) > 1e-9 {
		t.Errorf("busy %v, want %v", r.Busy, busy)
	}
	// A server that takes 1 ms for each write is the bottleneck: 3 writes a job.
	f.Store, f.Message, f.Workers = 1e-3, 0, 50
	if r := runFleet(t, f, 1, sim.FleetLaws{Worker: fixed(4)}); math.Abs(r.Rate-1000.0/3) > 5 || r.Busy < 0.98 {
		t.Errorf("%v jobs/s with a server busy for %v", r.Rate, r.Busy)
	}
}

// TestFleetRepeats asks for the same twice.
func TestFleetRepeats(t *testing.T) {
	rerun.Skip(t)
	f := fleetOf(t, "thrash", 3, 3000)
	laws := sim.FleetLaws{Shared: search}
	a, b := runFleet(t, f, 7, laws), runFleet(t, f, 7, laws)
	for _, r := range []*sim.FleetResult{a, b} {
		for i := range r.Changes {
			r.Changes[i].Reason.Gain = 0 // may be NaN
		}
	}
	if !reflect.DeepEqual(a, b) {
		t.Errorf("%+v, then %+v", a, b)
	}
	if c := runFleet(t, f, 8, laws); c.Seconds == a.Seconds {
		t.Error("another seed changes nothing")
	}
}

// TestFleetSharedLimit holds the shared limit close to the best fixed one, in a run so
// short that most of it is search, and shows that workers that look for their own
// limits drive a thrashing downstream far below it.
func TestFleetSharedLimit(t *testing.T) {
	rerun.Skip(t)
	best, n, err := sim.BestFleet(fleetOf(t, "thrash", 4, 0), 1, 4000)
	if err != nil {
		t.Fatal(err)
	}
	if n < 21 || n > 27 {
		t.Errorf("the best limit is %d", n)
	}
	for _, workers := range []int{1, 4, 16, 100} { // from the CPUs of all 100 it would be too late
		mean := 0.0
		for seed := range uint64(8) {
			r := runFleet(t, fleetOf(t, "thrash", workers, 20_000), 1+seed, sim.FleetLaws{Shared: search})
			mean += r.Settled / 8
			if r.Settled < 0.85*best || r.Limit < 20 || r.Limit > 40 {
				t.Errorf("%d workers, seed %d: %.4g jobs/s with %d, best %.4g with %d", workers, 1+seed, r.Settled, r.Limit, best, n)
			}
			if len(r.Changes) == 0 || r.Changes[0].Reason.String() == "" {
				t.Errorf("%d workers: changes %v", workers, r.Changes)
			}
		}
		if mean < 0.92*best {
			t.Errorf("%d workers: %.4g jobs/s on average, best %.4g with %d", workers, mean, best, n)
		}
	}
	if r := runFleet(t, fleetOf(t, "thrash", 4, 10_000), 1, sim.FleetLaws{}); r.Settled > 0.8*best || r.Limit != 0 {
		t.Errorf("each for itself: %.4g of %.4g jobs/s, limit %d", r.Settled, best, r.Limit)
	}
}

// TestFleetCost holds the overhead for a job to within 3 % of one worker's, whatever the
// number of workers, where each has as many jobs: the search of each costs the same.
func TestFleetCost(t *testing.T) {
	rerun.Skip(t)
	var one float64
	for _, workers := range []int{1, 10, 100} {
		r := runFleet(t, fleetOf(t, "own", workers, 300*workers), 1, sim.FleetLaws{})
		if workers == 1 {
			one = r.Overhead
		}
		if math.Abs(r.Overhead/one-1) > 0.03 {
			t.Errorf("%d workers: %.3g s a job, one has %.3g s", workers, r.Overhead, one)
		}
	}
}

func TestFleetErrors(t *testing.T) {
	good := fleetOf(t, "thrash", 2, 10)
	for _, c := range []struct {
		spoil func(*sim.Fleet)
		want  string
	}{
		{func(f *sim.Fleet) { f.Name = "" }, "no name"},
		{func(f *sim.Fleet) { f.Workers = 0 }, "0 workers: want 1 to"},
		{func(f *sim.Fleet) { f.CPUs = -1 }, "-1 CPUs"},
		{func(f *sim.Fleet) { f.Jobs = 0 }, "0 jobs"},
		{func(f *sim.Fleet) { f.Service, f.Servers = sim.Dist{}, 0 }, "do nothing"},
		{func(f *sim.Fleet) { f.Servers = 0 }, "belong together"},
		{func(f *sim.Fleet) { f.Wait = sim.Dist{Kind: sim.Pareto, A: 1, B: 1} }, "above 1"},
		{func(f *sim.Fleet) { f.Hop = math.NaN() }, "a message takes NaN"},
	} {
		f := good
		c.spoil(&f)
		if _, err := sim.RunFleet(f, 1, sim.FleetLaws{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v; want %q", err, c.want)
		}
	}
	if _, err := sim.RunFleet(good, 1, sim.FleetLaws{Start: -1}); err == nil || !strings.Contains(err.Error(), "starts at -1") {
		t.Error(err)
	}
	if _, _, err := sim.BestFleet(good, 1, 0); err == nil {
		t.Error("no jobs, no error")
	}
}

func ExampleFixedFleet() {
	r, err := sim.RunFleet(sim.Fleets(4, 1000)[1], 1, sim.FixedFleet(12))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Peak, r.Limit)
	// Output:
	// 12 12
}
