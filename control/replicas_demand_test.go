package control_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
)

// A service with one replica gets 20 requests a second, and a replica needs
// 0.35 s for each: seven are busy all the time, so ten are wanted.
func ExampleDemand() {
	law := control.NewDemand()
	law.Next(control.ReplicaReading{Ready: 1}) // begins the first interval

	d := law.Next(control.ReplicaReading{
		At:        15 * time.Second,
		Ready:     10,
		Arrived:   300, // requests so far,
		Completed: 300, // all answered
		Busy:      105, // seconds that replicas were at work
		Capacity:  150, // seconds that replicas were there
	})
	fmt.Println(d.Replicas)
	// Output:
	// 10
}

func ExampleDemand_Next() {
	law := control.NewDemand()
	law.Next(control.ReplicaReading{Ready: 1})

	// Far more arrives than one replica can do: it is busy all the time, and
	// two out of three requests wait.
	d := law.Next(control.ReplicaReading{
		At: 10 * time.Second, Ready: 1, Arrived: 300, Completed: 100, Queued: 199, Busy: 10, Capacity: 10,
	})
	fmt.Println(d.Replicas)
	fmt.Println(d.Reason)
	// Output:
	// 5
	// 1→5: 30/s arrive; a replica serves 10/s; 19.9 replica-seconds of backlog
}

func ExampleNewDemand() {
	law := control.NewDemand()
	law.Utilisation = 1            // leave the spare replicas to the square root:
	law.Safety = 1.65              // 6 % of the requests wait
	law.Startup = 90 * time.Second // known, not to be learnt
	fmt.Println(law.Next(control.ReplicaReading{Ready: 4}).Reason)
	// Output:
	// starts at 4
}

func TestDemandStaffsBySquareRootWhereThatIsMore(t *testing.T) {
	for _, c := range []struct {
		utilisation, safety, load float64
		want                      int
	}{
		{0.7, 1, 7, 10},    // 7/0.7 against 7 + 2.6
		{0.7, 1, 1, 2},     // 1.4 against 2
		{0.7, 1, 4, 6},     // 5.7 against 6
		{1, 1, 100, 110},   // 100 + 10
		{1, 2, 100, 120},   // 100 + 20
		{0.5, 1, 100, 200}, // 100/0.5
		{1, 1, 7000, 7084}, // 7000 + 83.7
		{0.7, 1, 7000, 10000},
	} {
		law := &control.Demand{Utilisation: c.utilisation, Safety: c.safety}
		s := &steady{every: 10 * time.Second, perStep: int64(100 * c.load), work: 0.1, replicas: c.want}
		if d := s.drive(law, 20); d.Replicas != c.want {
			t.Errorf("load %v at %v with safety %v: %d replicas, want %d", c.load, c.utilisation, c.safety, d.Replicas, c.want)
		}
	}
}

// TestDemandIsFoundInOneStep raises the load to a hundred times what the
// replica there can do.
func TestDemandIsFoundInOneStep(t *testing.T) {
	law := control.NewDemand()
	s := &steady{every: 15 * time.Second, perStep: 30, work: 0.1, replicas: 1}
	s.drive(law, 20)
	s.perStep = 10_500 // 70 replicas busy
	if d := law.Next(s.step()); d.Replicas < 100 || d.Replicas > 140 {
		t.Errorf("%d replicas at once, want the 100 of the load and at most as much again as the load for the backlog", d.Replicas)
	}
}

// TestDemandCountsReplicasOnTheirWay gives it a backlog that those on their way
// will clear, and the same with nothing on its way.
func TestDemandCountsReplicasOnTheirWay(t *testing.T) {
	answer := func(starting int) int {
		law := control.NewDemand()
		law.Startup = time.Minute
		law.Next(control.ReplicaReading{Ready: 2, Starting: starting})
		return law.Next(control.ReplicaReading{
			At: 15 * time.Second, Ready: 2, Starting: starting,
			Arrived: 600, Completed: 300, Queued: 300, Busy: 30, Capacity: 30,
		}).Replicas
	}
	// Load 4. Alone: 300/10 + (4-2)·60 = 150 replica-seconds to clear in 60 s,
	// 6.5. With 6 on their way 30 + (4-5)·60 is nothing: 4 + √4.
	if none, six := answer(0), answer(6); none != 7 || six != 6 {
		t.Errorf("%d replicas with none on their way, %d with six; want 7 and 6", none, six)
	}
}

func TestDemandKeepsReplicasForAsLongAsOneStarts(t *testing.T) {
	law := control.NewDemand()
	law.Startup = 2 * time.Minute
	s := &steady{every: 15 * time.Second, perStep: 1050, work: 0.1, replicas: 10}
	s.drive(law, 5)
	s.perStep = 105
	for i := range 20 {
		d := law.Next(s.step())
		s.replicas = d.Replicas
		// The last step of the high load was at 0; 8 steps are two minutes.
		if low := i+1 >= 8; (d.Replicas < 10) != low {
			t.Fatalf("step %d after the load fell: %d replicas", i+1, d.Replicas)
		}
	}
}

// TestDemandLearnsHowLongAReplicaStarts shows it 40 s and asks what it waits
// for: its hold is the learnt time where that is more than four readings.
func TestDemandLearnsHowLongAReplicaStarts(t *testing.T) {
	law := control.NewDemand()
	s := &steady{every: 5 * time.Second, perStep: 350, work: 0.1, replicas: 10}
	law.Next(s.reading())
	for range 8 { // 8 steps of 5 s in which four start
		s.starting = 4
		law.Next(s.step())
	}
	s.starting, s.replicas = 0, 14
	law.Next(s.step())
	s.perStep = 35
	steps := 0
	for d := law.Next(s.step()); d.Replicas >= 10; d = law.Next(s.step()) {
		if steps++; steps > 100 {
			t.Fatal("the replicas are never let go")
		}
	}
	if held := 5 * (steps + 1); held < 35 || held > 45 {
		t.Errorf("held for %d s, want the 40 s that a start took", held)
	}
}

// heldFor lets a tenth of the requests come, and returns how many seconds it takes until the
// law wants fewer than 10 replicas.
func heldFor(law *control.Demand, s *steady) int {
	s.perStep = 35
	held := 5
	for d := law.Next(s.step()); d.Replicas >= 10 && held < 600; d = law.Next(s.step()) {
		held += 5
	}
	return held
}

// TestDemandForgetsStartsThatWereCancelled lets replicas begin and be let go, or
// replaced, before some come up.
func TestDemandForgetsStartsThatWereCancelled(t *testing.T) {
	law := control.NewDemand()
	s := &steady{every: 5 * time.Second, perStep: 350, work: 0.1, replicas: 10}
	law.Next(s.reading())
	for i := range 6 { // five times four begin and are let go, then four come up, in 40 s each
		for range 8 {
			s.starting = 4
			law.Next(s.step())
		}
		if s.starting = 0; i == 5 {
			s.replicas = 14
		}
		law.Next(s.step())
	}
	if held := heldFor(law, s); held < 35 || held > 45 {
		t.Errorf("held for %d s, want the 40 s of a start", held)
	}
}

// TestDemandLearnsFromReplicasThatComeUpInTurn has as many begin as come up, so that the
// number starting hardly changes, and cancels some of those that start.
func TestDemandLearnsFromReplicasThatComeUpInTurn(t *testing.T) {
	for _, cancelled := range []int{0, 4} {
		law := control.NewDemand()
		s := &steady{every: 5 * time.Second, perStep: 350, work: 0.1, replicas: 10}
		law.Next(s.reading())
		for step := range 60 { // one begins each 5 s, and comes up 40 s later
			s.starting = min(step+1, 8)
			if step >= 8 {
				s.replicas++
			}
			if step == 30 {
				s.starting -= cancelled
			}
			law.Next(s.step())
		}
		if held := heldFor(law, s); held < 35 || held > 45 {
			t.Errorf("%d were cancelled: held for %d s, want the 40 s of a start", cancelled, held)
		}
	}
}

func TestDemandRefusesNonsense(t *testing.T) {
	for _, c := range []struct {
		law  control.Demand
		want string
	}{
		{control.Demand{Utilisation: 1.1}, "control: Demand.Utilisation is 1.1: want a number above 0 and at most 1, or 0 for the default"},
		{control.Demand{Utilisation: math.NaN()}, "control: Demand.Utilisation is NaN: want a number above 0 and at most 1, or 0 for the default"},
		{control.Demand{Safety: -1}, "control: Demand.Safety is -1: want 0, for the default, to 1000"},
		{control.Demand{Hold: -1}, "control: Demand.Startup is 0s and Hold -1ns: want 0 or more"},
	} {
		mustPanic(t, c.want, func() { c.law.Next(control.ReplicaReading{}) })
	}
}
