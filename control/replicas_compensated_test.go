package control_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
)

func ExampleCompensated() {
	law := control.NewCompensated(0.7, 1, 2)
	law.Next(control.ReplicaReading{Ready: 10})
	d := law.Next(control.ReplicaReading{
		At: 15 * time.Second, Ready: 10,
		Arrived: 1050, Completed: 1050, Busy: 105, Capacity: 150, Response: 105,
	})
	fmt.Println(d.Replicas) // nothing is known of the three steps before
	// Output:
	// 40
}

func ExampleNewCompensated() {
	law := control.NewCompensated(0.7, 1, 6)
	fmt.Println(law.Next(control.ReplicaReading{Ready: 2}).Replicas)
	// Output:
	// 2
}

func ExampleCompensated_Next() {
	law := control.NewCompensated(0.7, 1, 0)
	law.Next(control.ReplicaReading{Ready: 5})
	d := law.Next(control.ReplicaReading{
		At: time.Second, Ready: 5,
		Arrived: 70, Completed: 50, Busy: 5, Capacity: 5, Response: 5,
	})
	fmt.Println(d.Reason)
	// Output:
	// 5→20: 70 arrived in this step; 70 could not be served
}

// TestCompensatedAddsWhatWasNotServed works the published formula by hand: in
// a step 700 requests arrive, a replica does 100, and the delays are 1 and 2.
func TestCompensatedAddsWhatWasNotServed(t *testing.T) {
	law := control.NewCompensated(0.7, 1, 2)
	s := &steady{every: 10 * time.Second, perStep: 700, work: 0.1, replicas: 10}
	law.Next(s.reading())
	for i, want := range []int{
		40, // 700 + 700 + 700 + 700 over 70
		20, // the last decision serves all; one of the three places is still empty
		10,
		10,
	} {
		if d := law.Next(s.step()); d.Replicas != want {
			t.Errorf("step %d: %d replicas, want %d", i, d.Replicas, want)
		}
	}
}

func TestNewCompensatedRefusesNonsense(t *testing.T) {
	for _, c := range []struct {
		u       float64
		in, out int
	}{{0, 1, 1}, {1.5, 1, 1}, {0.7, -1, 0}, {0.7, 0, -1}} {
		mustPanic(t, fmt.Sprintf("control: NewCompensated(%v, %d, %d): want a utilisation above 0 and at most 1, and delays of 0 steps or more", c.u, c.in, c.out), func() {
			control.NewCompensated(c.u, c.in, c.out)
		})
	}
}
