package sim_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/rerun"
	"github.com/sweetspot-go/sweetspot/sim"
)

func demand(sim.Service) control.Scaler { return control.NewDemand() }
func hpa(s sim.Service) control.Scaler  { return control.NewHPA(s.Target) }

func ExampleJudgeScaler() {
	rows, err := sim.JudgeScaler(sim.Services()[4:5], []uint64{1, 2, 3}, func(sim.Service) control.Scaler { return control.NewDemand() })
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(rows[0].Name, rows[0].PeakNeed)
	// Output:
	// flash 72
}

func ExampleServices() {
	for _, s := range sim.Services() {
		fmt.Println(s.Name)
	}
	// Output:
	// published1
	// published6
	// stairs
	// daynight
	// flash
	// ten-thousand
}

func TestJudgeScalerTakesMedians(t *testing.T) {
	services := []sim.Service{even(3, 4, 0.5, 500), even(2, 1, 0.5, 300)}
	services[1].Name = "other"
	seeds := []uint64{1, 2, 3}
	rows, err := sim.JudgeScaler(services, seeds, demand)
	if err != nil || len(rows) != 2 {
		t.Fatal(rows, err)
	}
	for i, row := range rows {
		var waiting [3]float64
		for j, seed := range seeds {
			r, err := sim.Autoscale(services[i], seed, control.NewDemand())
			if err != nil {
				t.Fatal(err)
			}
			waiting[j] = r.Waiting
		}
		low, high := min(waiting[0], waiting[1], waiting[2]), max(waiting[0], waiting[1], waiting[2])
		want := waiting[0] + waiting[1] + waiting[2] - low - high
		if row.Name != services[i].Name || math.Abs(row.Waiting-want) > 1e-9 || len(row.First.Trace) == 0 || row.First.Waiting != waiting[0] {
			t.Errorf("%s: waiting %v, want %v of %v", row.Name, row.Waiting, want, waiting)
		}
	}
	if _, err := sim.JudgeScaler(nil, seeds, demand); err == nil {
		t.Error("no services are accepted")
	}
	services[1].Step = 0
	if _, err := sim.JudgeScaler(services, seeds, demand); err == nil {
		t.Error("a bad service is accepted")
	}
}

// TestDemandAgainstTheThreshold holds the law to its bar, at most half the
// waiting and at most 1.1 times the replica-seconds of the threshold
// autoscaler, on a seed that no figure in the documentation is from.
func TestDemandAgainstTheThreshold(t *testing.T) {
	rerun.Serial(t)
	services := sim.Services()
	if testing.Short() {
		services = services[4:5]
	}
	for _, s := range services {
		switch s.Name {
		case "stairs", "ten-thousand": // like the others, and slow
			continue
		}
		rows := map[string]sim.ScaleRow{}
		for name, law := range map[string]func(sim.Service) control.Scaler{"ours": demand, "theirs": hpa} {
			r, err := sim.JudgeScaler([]sim.Service{s}, []uint64{21}, law)
			if err != nil {
				t.Fatal(err)
			}
			rows[name] = r[0]
		}
		d, h := rows["ours"], rows["theirs"]
		if d.Waiting > 0.5*h.Waiting || d.ReplicaSeconds > 1.1*h.ReplicaSeconds {
			t.Errorf("%s: waiting %.3g s against %.3g, %.4g replica-seconds against %.4g",
				s.Name, d.Waiting, h.Waiting, d.ReplicaSeconds, h.ReplicaSeconds)
		}
	}
}

// TestDemandOnLoadsThatJump draws loads that nobody has looked at: levels of 5
// to 80 busy replicas, for 5 to 20 minutes each, and starts of 30 to 120 s.
func TestDemandOnLoadsThatJump(t *testing.T) {
	rerun.Serial(t)
	const runs = 12
	var waiting, cost float64 // means of the logarithms of the ratios
	for seed := range uint64(runs) {
		draws := rand.New(rand.NewPCG(seed, 11))
		s := even(8, 0, 0.5, 2*3600)
		s.Step, s.Startup = 15, sim.Dist{Kind: sim.Constant, A: 30 + 90*draws.Float64()}
		s.Load = nil
		for at := 0.0; at < s.Seconds; at += 300 + 900*draws.Float64() {
			rate := 10 * math.Pow(16, draws.Float64())
			s.Load = append(s.Load, sim.Stretch{From: at, Begin: rate, End: rate})
		}
		ours, err := sim.Autoscale(s, seed, control.NewDemand())
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := sim.Autoscale(s, seed, control.NewHPA(0.7))
		if err != nil {
			t.Fatal(err)
		}
		w, c := ours.Waiting/theirs.Waiting, ours.ReplicaSeconds/theirs.ReplicaSeconds
		t.Logf("seed %d: waiting %.3f, cost %.3f", seed, w, c)
		waiting += math.Log(w) / runs
		cost += math.Log(c) / runs
		if w > 1 || c > 1.1 {
			t.Errorf("seed %d: %.2f of the waiting at %.2f of the cost", seed, w, c)
		}
	}
	if w, c := math.Exp(waiting), math.Exp(cost); w > 0.5 || c > 1 {
		t.Errorf("on average %.2f of the waiting at %.2f of the cost", w, c)
	}
}

// TestServicesBeginSized checks that no law is judged by a beginning that
// nobody would have: every service starts with what it needs then.
func TestServicesBeginSized(t *testing.T) {
	for _, s := range sim.Services() {
		if err := s.Validate(); err != nil {
			t.Error(err)
		}
		if s.Replicas != s.Need(0) {
			t.Errorf("%s starts with %d replicas and needs %d", s.Name, s.Replicas, s.Need(0))
		}
	}
}
