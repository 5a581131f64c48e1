package main

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/control"
)

// recorder is a law that keeps its readings, and asks for nothing.
type recorder struct{ readings []control.Reading }

func (r *recorder) Next(x control.Reading) control.Decision {
	r.readings = append(r.readings, x)
	return control.Decision{Limit: x.Limit}
}

// TestReadings: the sensors of a closed loop of known rate and residence agree with
// them and, by Little's law, with each other.
func TestReadings(t *testing.T) {
	const limit, mean, end = 8, 0.05, 200.0
	c, law := new(clock), new(recorder)
	dice := rand.New(rand.NewPCG(1, 1))
	l := newLimiter(c, law, limit, machine{maxLimit: 100})
	var work func(unit)
	work = func(u unit) {
		c.after(seconds(mean*dice.ExpFloat64()), func() {
			u.end(sweetspot.Done)
			l.acquire(work)
		})
	}
	for range limit + 3 {
		l.acquire(work)
	}
	c.run(seconds(end))

	first, last := law.readings[0], law.readings[len(law.readings)-1]
	if n := len(law.readings); n < 19_000 || n > 21_000 {
		t.Errorf("%d ticks in %v s, want one in 10 ms", n, end)
	}
	span := (last.At - first.At).Seconds()
	rate := float64(last.Completed-first.Completed) / span
	residence := last.Residence / float64(last.Timed)
	for name, pair := range map[string][2]float64{
		"rate":         {rate, limit / mean},
		"residence":    {residence, mean},
		"Little's law": {(last.Occupancy - first.Occupancy) / span, rate * residence},
		"bound":        {last.Bound - first.Bound, span},
		"waiting":      {float64(last.Waiting), 3},
	} {
		if math.Abs(pair[0]/pair[1]-1) > 0.02 {
			t.Errorf("%s is %.4g, want %.4g", name, pair[0], pair[1])
		}
	}
}

// A shy law wants its next reading in a second; what it decides is out of bounds.
type shy struct{ at []time.Duration }

func (s *shy) Next(r control.Reading) control.Decision {
	s.at = append(s.at, r.At)
	return control.Decision{Limit: 1000, After: time.Second}
}

// TestGovernor: a decision is clamped, the next one is asked for no sooner than the
// law wants, but at once after an overload, and idle time does not count.
func TestGovernor(t *testing.T) {
	c, law := new(clock), new(shy)
	l := newLimiter(c, law, 4, machine{maxLimit: 50})
	hold := func(d time.Duration, o sweetspot.Outcome) {
		l.acquire(func(u unit) { c.after(d, func() { u.end(o) }) })
	}
	hold(2500*time.Millisecond, sweetspot.Done)
	c.after(1500*time.Millisecond, func() { hold(0, sweetspot.Overloaded) })
	c.after(time.Minute, func() { hold(5*time.Millisecond, sweetspot.Done) })
	c.run(2 * time.Minute)

	if l.limit != 50 {
		t.Errorf("limit %d, want 50: the most there may be", l.limit)
	}
	want := []float64{0.01, 1.01, 1.5, 2.5}
	if len(law.at) != len(want) {
		t.Fatalf("asked at %v, want about %v", law.at, want)
	}
	for i, w := range want {
		if math.Abs(law.at[i].Seconds()-w) > 0.03 {
			t.Errorf("asked at %v, want about %v s", law.at[i], w)
		}
	}
	if l.gov.running {
		t.Error("the governor ticks though nothing is in flight")
	}
}
