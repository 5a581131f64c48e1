package control_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
)

// A replica that is always busy is 1.4 times the target: two are wanted, though
// the load may be that of ten.
func ExampleHPA() {
	law := control.NewHPA(0.7)
	law.Next(control.ReplicaReading{Ready: 1})
	d := law.Next(control.ReplicaReading{At: 15 * time.Second, Ready: 1, Busy: 15, Capacity: 15})
	fmt.Println(d.Reason)
	// Output:
	// doubled 1→2: 100 % busy, target 70 %
}

func ExampleNewHPA() {
	law := control.NewHPA(0.8)
	law.Stabilisation = time.Minute
	fmt.Println(law.Next(control.ReplicaReading{Ready: 3}).Replicas)
	// Output:
	// 3
}

func ExampleHPA_Next() {
	law := control.NewHPA(0.5)
	law.Next(control.ReplicaReading{Ready: 4})
	d := law.Next(control.ReplicaReading{At: 15 * time.Second, Ready: 4, Busy: 45, Capacity: 60})
	fmt.Println(d.Replicas) // 4 × 0.75 / 0.5
	// Output:
	// 6
}

// TestHPAFollowsTheDocumentedRules holds it to single decisions.
func TestHPAFollowsTheDocumentedRules(t *testing.T) {
	for _, c := range []struct {
		what            string
		ready, starting int
		usage           float64
		want            int
	}{
		{"documentation's 50 pods at 90 % for 75 %", 50, 0, 0.90, 60},
		{"within the tolerance", 50, 0, 0.82, 50},
		{"just beyond it", 50, 0, 0.83, 56},
		{"within it downwards", 50, 0, 0.68, 50},
		{"pods that start count as idle", 2, 4, 1, 6},
		{"and leave it within the tolerance", 4, 1, 1, 5},
		{"unless the others need more even so", 8, 1, 1, 11},
		{"the pace: four more", 1, 0, 30, 5},
		{"the pace: double", 10, 0, 30, 20},
	} {
		law := control.NewHPA(0.75)
		law.Next(control.ReplicaReading{Ready: c.ready, Starting: c.starting})
		d := law.Next(control.ReplicaReading{
			At: 15 * time.Second, Ready: c.ready, Starting: c.starting,
			Busy: 15 * c.usage * float64(c.ready), Capacity: 15 * float64(c.ready),
		})
		if d.Replicas != c.want {
			t.Errorf("%s: %d, want %d", c.what, d.Replicas, c.want)
		}
	}
}

func TestHPAGoesDownAfterFiveMinutes(t *testing.T) {
	law := control.NewHPA(0.7)
	s := &steady{every: 15 * time.Second, perStep: 1050, work: 0.1, replicas: 10}
	s.drive(law, 3)
	s.perStep = 105
	for i := range 30 {
		d := law.Next(s.step())
		s.replicas = d.Replicas
		if low := i+1 >= 20; (d.Replicas < 10) != low {
			t.Fatalf("step %d of 15 s after the load fell: %d replicas", i+1, d.Replicas)
		}
	}
}

func TestNewHPARefusesOtherTargets(t *testing.T) {
	for _, x := range []float64{0, -0.1, 1.01} {
		mustPanic(t, fmt.Sprintf("control: NewHPA(%v): want a target utilisation above 0 and at most 1", x), func() { control.NewHPA(x) })
	}
}
