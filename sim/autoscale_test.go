package sim_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/rerun"
	"github.com/sweetspot-go/sweetspot/sim"
)

// replicas is a law that always wants the same number.
type replicas int

func (n replicas) Next(control.ReplicaReading) control.ReplicaDecision {
	return control.ReplicaDecision{Replicas: int(n)}
}

// A schedule is a law that says what its function says, and keeps what it read.
type schedule struct {
	want     func(control.ReplicaReading) int
	readings []control.ReplicaReading
}

func (s *schedule) Next(r control.ReplicaReading) control.ReplicaDecision {
	s.readings = append(s.readings, r)
	return control.ReplicaDecision{Replicas: s.want(r)}
}

// even is a service with an even load.
func even(replicas int, rate, work, seconds float64) sim.Service {
	return sim.Service{
		Name: "even", Seconds: seconds, Step: 10, Work: sim.Dist{Kind: sim.Exponential, A: work},
		Load: []sim.Stretch{{Begin: rate, End: rate}}, Replicas: replicas, Target: 0.7,
	}
}

func ExampleAutoscale() {
	service := sim.Services()[4] // ten times the load at once, twice
	ours, err := sim.Autoscale(service, 1, control.NewDemand())
	if err != nil {
		fmt.Println(err)
		return
	}
	theirs, err := sim.Autoscale(service, 1, control.NewHPA(0.7))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("waiting %.2f, cost %.2f of the threshold autoscaler's\n",
		ours.Waiting/theirs.Waiting, ours.ReplicaSeconds/theirs.ReplicaSeconds)
	// Output:
	// waiting 0.10, cost 0.66 of the threshold autoscaler's
}

// erlangC returns the share of arrivals that wait in M/M/c.
func erlangC(c int, load float64) float64 {
	b := 1.0
	for k := 1; k <= c; k++ {
		b = load * b / (float64(k) + load*b)
	}
	return b / (1 - load/float64(c)*(1-b))
}

// TestAutoscaleIsMMC compares fixed numbers of replicas with Erlang's formula,
// and the shares of time with the load.
func TestAutoscaleIsMMC(t *testing.T) {
	rerun.Skip(t)
	for _, c := range []struct {
		replicas int
		load     float64
	}{{1, 0.5}, {4, 3}, {10, 7}, {50, 45}} {
		const work = 0.5
		s := even(c.replicas, c.load/work, work, 200_000*work/c.load) // 200,000 requests
		law := &schedule{want: func(control.ReplicaReading) int { return c.replicas }}
		r, err := sim.Autoscale(s, 5, law)
		if err != nil {
			t.Fatal(err)
		}
		n := float64(c.replicas)
		want := erlangC(c.replicas, c.load) * work / (n - c.load)
		if math.Abs(r.Mean-want) > 0.1*want {
			t.Errorf("M/M/%d with load %v: mean wait %v, want %v", c.replicas, c.load, r.Mean, want)
		}
		if cost := n * s.Seconds; math.Abs(r.ReplicaSeconds-cost) > 1e-6*cost {
			t.Errorf("M/M/%d: %v replica-seconds, want %v", c.replicas, r.ReplicaSeconds, cost)
		}
		last := law.readings[len(law.readings)-1]
		if busy := last.Busy / last.Capacity * n; math.Abs(busy-c.load) > 0.02*c.load {
			t.Errorf("M/M/%d: %v busy, want %v", c.replicas, busy, c.load)
		}
		if r.Changes != 0 || r.Peak != c.replicas {
			t.Errorf("M/M/%d: %d changes, peak %d", c.replicas, r.Changes, r.Peak)
		}
	}
}

func TestAutoscaleWithRoomForAll(t *testing.T) {
	r, err := sim.Autoscale(even(1000, 1, 0.5, 2000), 3, replicas(1000))
	if err != nil || r.Waiting != 0 || r.Mean != 0 {
		t.Errorf("nobody waits: waiting %v, mean %v, %v", r.Waiting, r.Mean, err)
	}
}

// TestAutoscaleKeepsCount runs a restless law over restless services and
// checks at every reading that nothing is lost.
func TestAutoscaleKeepsCount(t *testing.T) {
	rerun.Skip(t)
	for seed := range uint64(20) {
		draws := rand.New(rand.NewPCG(seed, 7))
		s := even(5, 20, 0.3, 900)
		s.Startup = []sim.Dist{{}, {Kind: sim.Constant, A: 25}, {Kind: sim.Uniform, A: 1, B: 90}}[seed%3]
		s.Load = append(s.Load, sim.Stretch{From: 300, Begin: 50, End: 0}, sim.Stretch{From: 600, Begin: 0, End: 30})
		law := &schedule{want: func(control.ReplicaReading) int { return draws.IntN(30) - 3 }}
		r, err := sim.Autoscale(s, seed, law)
		if err != nil {
			t.Fatal(err)
		}
		var last control.ReplicaReading
		for _, x := range law.readings {
			if x.Completed < last.Completed || x.Arrived < last.Arrived || x.Busy < last.Busy || x.Capacity < last.Capacity || x.Response < last.Response {
				t.Fatalf("seed %d: a counter falls from %+v to %+v", seed, last, x)
			}
			inService := x.Arrived - x.Completed - int64(x.Queued)
			if inService < 0 || x.Busy > x.Capacity+1e-6 || x.Ready < 0 || x.Starting < 0 || x.Replicas() < 1 {
				t.Fatalf("seed %d: %d in service in %+v", seed, inService, x)
			}
			if x.Queued > 0 && inService < int64(x.Ready) {
				t.Fatalf("seed %d: %d wait while %d of %d replicas work", seed, x.Queued, inService, x.Ready)
			}
			last = x
		}
		if r.Arrived == 0 || r.Completed > r.Arrived {
			t.Errorf("seed %d: %d arrived, %d completed", seed, r.Arrived, r.Completed)
		}
	}
}

// TestAutoscaleStartsAndStops follows replicas through a start of 25 s, a
// cancelled start and a graceful end.
func TestAutoscaleStartsAndStops(t *testing.T) {
	rerun.Skip(t)
	s := even(1, 0.001, 1000, 200)
	s.Startup = sim.Dist{Kind: sim.Constant, A: 25}
	law := &schedule{want: func(r control.ReplicaReading) int {
		switch at := r.At.Seconds(); {
		case at < 10:
			return 1
		case at < 50:
			return 4 // asked for at 10, serve at 35
		case at < 60:
			return 6 // two more at 50
		}
		return 3 // at 60 both are cancelled, and one idle replica goes
	}}
	r, err := sim.Autoscale(s, 1, law)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ at, ready, starting int }{{10, 1, 0}, {20, 1, 3}, {30, 1, 3}, {40, 4, 0}, {60, 4, 2}, {70, 3, 0}, {190, 3, 0}} {
		if p := law.readings[c.at/10]; p.At.Seconds() != float64(c.at) || p.Ready != c.ready || p.Starting != c.starting {
			t.Errorf("at %v: %d ready and %d starting, want %d and %d", p.At, p.Ready, p.Starting, c.ready, c.starting)
		}
	}
	if want := 10*1 + 40*4 + 10*6 + 140*3.0; math.Abs(r.ReplicaSeconds-want) > 1e-6 {
		t.Errorf("%v replica-seconds, want %v", r.ReplicaSeconds, want)
	}
	if r.Peak != 6 || r.Changes != 3 || r.PeakNeed != 2 || r.Overshoot != 2 {
		t.Errorf("peak %d of %d, overshoot %v, %d changes", r.Peak, r.PeakNeed, r.Overshoot, r.Changes)
	}
}

// TestAutoscaleLetsRequestsFinish takes all replicas but one away from
// requests that are being served.
func TestAutoscaleLetsRequestsFinish(t *testing.T) {
	s := even(10, 2, 5, 400)
	s.Work = sim.Dist{Kind: sim.Constant, A: 5}
	s.Load = append(s.Load, sim.Stretch{From: 100})
	r, err := sim.Autoscale(s, 2, &schedule{want: func(r control.ReplicaReading) int {
		if r.At.Seconds() < 100 {
			return 10
		}
		return 1
	}})
	if err != nil || r.Completed != r.Arrived || r.Arrived < 100 {
		t.Errorf("%d of %d completed, %v", r.Completed, r.Arrived, err)
	}
}

// TestAutoscaleGivesEveryLawTheSame compares arrivals, and the whole result of
// a repetition.
func TestAutoscaleGivesEveryLawTheSame(t *testing.T) {
	rerun.Skip(t)
	s := sim.Services()[4]
	run := func(seed uint64, c control.Scaler) *sim.ScaleResult {
		r, err := sim.Autoscale(s, seed, c)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	a, b, other := run(4, control.NewDemand()), run(4, control.NewDemand()), run(4, control.NewHPA(0.7))
	if a.Arrived != other.Arrived {
		t.Errorf("%d and %d requests from one seed", a.Arrived, other.Arrived)
	}
	if *a != *b {
		t.Error("two runs of one seed differ")
	}
	if c := run(5, control.NewDemand()); c.Arrived == a.Arrived && c.Waiting == a.Waiting {
		t.Error("another seed changes nothing")
	}
}

// TestArrivalsFollowTheLoad counts them against the integral of the rate, over
// steps, slopes up and down to 0, and silence.
func TestArrivalsFollowTheLoad(t *testing.T) {
	rerun.Skip(t)
	s := even(1, 0, 1e-6, 1000)
	s.Load = []sim.Stretch{{0, 100, 100}, {100, 0, 0}, {200, 0, 200}, {400, 200, 0}, {600, 50, 50.001}, {800, 0, 300}}
	law := &schedule{want: func(control.ReplicaReading) int { return 1 }}
	if _, err := sim.Autoscale(s, 9, law); err != nil {
		t.Fatal(err)
	}
	integral := 0.0
	for i, r := range law.readings[1:] {
		for k := range 10 {
			integral += s.Rate(float64(i*10+k) + 0.5)
		}
		if d := math.Abs(float64(r.Arrived) - integral); d > 4*math.Sqrt(integral)+1 {
			t.Fatalf("at %v: %d arrived, want about %.0f", r.At, r.Arrived, integral)
		}
		if at := r.At.Seconds(); at > 110 && at <= 200 && r.Arrived != law.readings[10].Arrived {
			t.Fatalf("at %v: a request in the silence", r.At)
		}
	}
}

func TestAutoscaleRefusesNonsense(t *testing.T) {
	good := even(1, 1, 1, 100)
	if _, err := sim.Autoscale(good, 1, nil); err == nil {
		t.Error("no law is accepted")
	}
	for want, breakIt := range map[string]func(*sim.Service){
		"a service has no name":                   func(s *sim.Service) { s.Name = "" },
		"it lasts NaN s":                          func(s *sim.Service) { s.Seconds = math.NaN() },
		"the law is asked every 101 s":            func(s *sim.Service) { s.Step = 101 },
		"the law is asked every 1e-06 s":          func(s *sim.Service) { s.Step = 1e-6 },
		"the requests are no work":                func(s *sim.Service) { s.Work = sim.Dist{} },
		"it starts with 10001 replicas":           func(s *sim.Service) { s.Replicas = 10_001 },
		"the target utilisation is 1.2":           func(s *sim.Service) { s.Target = 1.2 },
		"first stretch of its load must begin":    func(s *sim.Service) { s.Load = nil },
		"the mean must be above 0":                func(s *sim.Service) { s.Startup = sim.Dist{Kind: sim.Constant, A: -1} },
		"a stretch begins at 100 s":               func(s *sim.Service) { s.Load = append(s.Load, sim.Stretch{From: 100}) },
		"from 0 s the load goes from 1 to -1":     func(s *sim.Service) { s.Load = []sim.Stretch{{0, 1, -1}} },
		"requests would arrive: want at most 1e9": func(s *sim.Service) { s.Seconds, s.Step, s.Load = 1e6, 10, []sim.Stretch{{0, 1e6, 1e6}} },
	} {
		s := good
		breakIt(&s)
		if _, err := sim.Autoscale(s, 1, replicas(1)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
}

func ExampleService_Need() {
	s := sim.Services()[0]
	fmt.Println(s.Need(0), s.Need(1500), s.Need(5000))
	// Output:
	// 1 8 22
}

func ExampleService_Rate() {
	s := sim.Service{Seconds: 60, Load: []sim.Stretch{{From: 0, Begin: 10, End: 20}}}
	fmt.Println(s.Rate(30))
	// Output:
	// 15
}

func ExampleService_Validate() {
	fmt.Println(sim.Service{Name: "idle", Seconds: 60, Step: 15}.Validate())
	// Output:
	// sim: service "idle": the requests are no work: want a distribution such as exp(10ms)
}
