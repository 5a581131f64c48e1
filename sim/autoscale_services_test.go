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
		d, err := sim.Autoscale(s, 21, control.NewDemand())
		if err != nil {
			t.Fatal(err)
		}
		h, err := sim.Autoscale(s, 21, control.NewHPA(s.Target))
		if err != nil {
			t.Fatal(err)
		}
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
