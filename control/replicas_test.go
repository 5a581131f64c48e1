package control_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
)

// A steady is a service without a queue: at even intervals so many requests
// arrive, and each makes a replica busy for so long. Replicas start at once.
type steady struct {
	at       time.Duration
	every    time.Duration
	perStep  int64
	work     float64 // s
	replicas int
	arrived  int64
	busy     float64
	capacity float64
	queued   int
	starting int
}

// step lets one interval pass and returns the reading at its end.
func (s *steady) step() control.ReplicaReading {
	s.at += s.every
	s.arrived += s.perStep
	capacity := float64(s.replicas) * s.every.Seconds()
	s.busy += min(capacity, float64(s.perStep)*s.work)
	s.capacity += capacity
	return s.reading()
}

func (s *steady) reading() control.ReplicaReading {
	return control.ReplicaReading{
		At: s.at, Ready: s.replicas, Starting: s.starting, Queued: s.queued,
		Arrived: s.arrived, Completed: int64(s.busy/s.work + .5), Busy: s.busy, Capacity: s.capacity,
		Response: s.busy,
	}
}

// drive asks the law for some steps, puts every answer in force at once and
// returns the last.
func (s *steady) drive(law control.Scaler, steps int) control.ReplicaDecision {
	d := law.Next(s.reading())
	for range steps {
		s.replicas = d.Replicas
		d = law.Next(s.step())
	}
	return d
}

func scalers() map[string]func() control.Scaler {
	return map[string]func() control.Scaler{
		"demand":      func() control.Scaler { return control.NewDemand() },
		"hpa":         func() control.Scaler { return control.NewHPA(0.7) },
		"compensated": func() control.Scaler { return control.NewCompensated(0.7, 1, 1) },
	}
}

// TestScalersFindTheNeed asks every law for a load of 7 busy replicas.
func TestScalersFindTheNeed(t *testing.T) {
	for name, law := range scalers() {
		s := &steady{every: 15 * time.Second, perStep: 1050, work: 0.1, replicas: 2}
		if d := s.drive(law(), 30); d.Replicas != 10 {
			t.Errorf("%s: %d replicas for a load of 7 at 0.7, want 10 (%v)", name, d.Replicas, d.Reason)
		}
	}
}

func TestScalersKeepTheBounds(t *testing.T) {
	for name, law := range scalers() {
		for _, c := range []struct{ min, max, replicas, want int }{{0, 6, 2, 6}, {15, 0, 15, 15}, {20, 30, 2, 20}} {
			l := law()
			s := &steady{every: 15 * time.Second, perStep: 1050, work: 0.1, replicas: c.replicas}
			var d control.ReplicaDecision
			for range 30 {
				r := s.step()
				r.Min, r.Max = c.min, c.max
				d = l.Next(r)
				s.replicas = d.Replicas
			}
			if d.Replicas != c.want {
				t.Errorf("%s: %d replicas within %d to %d, want %d", name, d.Replicas, c.min, c.max, c.want)
			}
		}
	}
}

// TestScalersBegin holds every law to the contract of the first reading, and
// to at least one replica when there is nothing to go by.
func TestScalersBegin(t *testing.T) {
	for name, law := range scalers() {
		l := law()
		d := l.Next(control.ReplicaReading{Ready: 3, Starting: 1})
		if d.Replicas != 4 || d.Reason.Kind != control.Start {
			t.Errorf("%s: %d replicas at first, %v; want the 4 that are there", name, d.Replicas, d.Reason.Kind)
		}
		for i := range 3 {
			if d = l.Next(control.ReplicaReading{At: time.Duration(i/2) * time.Second}); d.Replicas != 1 {
				t.Errorf("%s: %d replicas of a service with none, want 1", name, d.Replicas)
			}
		}
	}
}

// TestScalersOutliveARestart lets the counters begin at 0 again.
func TestScalersOutliveARestart(t *testing.T) {
	for name, law := range scalers() {
		l := law()
		s := &steady{every: 15 * time.Second, perStep: 1050, work: 0.1, replicas: 2}
		s.drive(l, 30)
		s.arrived, s.busy, s.capacity = 0, 0, 0
		for i := range 30 {
			if d := l.Next(s.step()); d.Replicas != 10 {
				t.Fatalf("%s: %d replicas %d steps after the restart, want the 10 of before", name, d.Replicas, i)
			}
		}
	}
}

// FuzzScalers holds every law to its bounds, whatever it reads.
func FuzzScalers(f *testing.F) {
	f.Add(int64(15e9), 3, 1, 2, 8, int64(100), int64(90), 5, 12.5, 45.0, 20.0)
	f.Add(int64(-1), -5, math.MaxInt32, 0, 0, int64(-1), int64(1<<62), -9, math.Inf(1), math.NaN(), -1.0)
	f.Add(int64(1), 1, 0, 9, 3, int64(1<<62), int64(1), math.MaxInt32, 1e-300, 1e300, 1e-300)
	f.Fuzz(func(t *testing.T, at int64, ready, starting, low, high int, arrived, completed int64, queued int, busy, capacity, response float64) {
		r := control.ReplicaReading{
			At: time.Duration(at), Ready: ready, Starting: starting, Min: low, Max: high,
			Arrived: arrived, Completed: completed, Queued: queued, Busy: busy, Capacity: capacity, Response: response,
		}
		calm := control.ReplicaReading{At: 15 * time.Second, Ready: 2, Arrived: 300, Completed: 300, Busy: 15, Capacity: 30, Response: 15}
		for name, law := range scalers() {
			l := law()
			for i, x := range []control.ReplicaReading{{Ready: 2}, calm, r, r, calm} {
				d := l.Next(x)
				least, most := max(x.Min, 1), x.Max
				if most <= 0 {
					most = math.MaxInt
				}
				if d.Replicas < min(least, most) || d.Replicas > most {
					t.Errorf("%s: %d replicas within %d to %d at reading %d of %+v", name, d.Replicas, x.Min, x.Max, i, r)
				}
			}
		}
	})
}

// TestScalersAreDeterministic runs each law twice over the same readings.
func TestScalersAreDeterministic(t *testing.T) {
	for name, law := range scalers() {
		run := func() (all []int) {
			l, s := law(), &steady{every: 15 * time.Second, work: 0.1, replicas: 1}
			for i := range 100 {
				s.perStep = int64(100 + 37*i%500*i)
				d := l.Next(s.step())
				s.replicas = d.Replicas
				all = append(all, d.Replicas)
			}
			return all
		}
		a, b := run(), run()
		for i := range a {
			if a[i] != b[i] {
				t.Fatalf("%s: step %d: %d and %d replicas from the same readings", name, i, a[i], b[i])
			}
		}
	}
}

func ExampleReplicaReading_Replicas() {
	r := control.ReplicaReading{Ready: 3, Starting: 2}
	fmt.Println(r.Replicas())
	// Output: 5
}

// A queued law has a replica for each hundred requests that wait.
type queued struct{}

func (queued) Next(r control.ReplicaReading) control.ReplicaDecision {
	n := max(r.Min, 1, (r.Queued+99)/100)
	if r.Max > 0 {
		n = min(n, r.Max)
	}
	return control.ReplicaDecision{Replicas: n}
}

// A law of your own.
func ExampleScaler() {
	var law control.Scaler = queued{}
	for _, waiting := range []int{0, 250, 4000} {
		r := control.ReplicaReading{Ready: 2, Queued: waiting, Max: 20}
		fmt.Println(law.Next(r).Replicas)
	}
	// Output:
	// 1
	// 3
	// 20
}
