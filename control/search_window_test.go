package control_test

import (
	"math"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
)

// flow returns the readings of steady work, every 10 ms: at a rate, with units
// of a residence and its dispersion, at a limit.
type flow struct {
	limit          int
	rate           float64
	residence, cv2 float64
	r              control.Reading
	done           float64
}

func (f *flow) next() control.Reading {
	r := &f.r
	r.At += 10 * time.Millisecond
	r.Limit, r.InFlight, r.CPUs = f.limit, f.limit, 4
	r.Occupancy += float64(f.limit) * 0.01
	r.Bound += 0.01
	f.done += f.rate * 0.01
	n := int64(f.done) - r.Completed
	r.Completed += n
	r.Units = float64(r.Completed)
	r.Timed += n
	r.Residence += float64(n) * f.residence
	r.Residence2 += float64(n) * f.residence * f.residence * (1 + f.cv2)
	r.TimedSince += n
	r.ResidenceSince += float64(n) * f.residence
	return *r
}

// measured returns how long a meter took at a steady flow, and what it saw.
func (f *flow) measured(t *testing.T, units, turns, residence float64) (time.Duration, control.Window) {
	t.Helper()
	f.r.Limit = f.limit
	m := control.NewMeter(f.r, f.limit, units, turns, residence)
	from := f.r.At
	for f.r.At < from+time.Minute {
		if m.Take(f.next()) {
			return f.r.At - from, m.Window()
		}
	}
	t.Fatal("no window in a minute")
	return 0, control.Window{}
}

func TestWindowSizes(t *testing.T) {
	for name, test := range map[string]struct {
		rate, residence, cv2 float64
		units, turns         float64
		low, high            time.Duration
	}{
		// Units come fast: never less than the CPU clocks need.
		"fast": {100_000, 0.001, 1, 300, 1.5, 90 * time.Millisecond, 120 * time.Millisecond},
		// As many units as asked for.
		"by count": {1000, 0.2, 1, 300, 3, 250 * time.Millisecond, 350 * time.Millisecond},
		// Fewer, where so many turns are over first; an eighth is the least.
		"by turns": {200, 0.1, 1, 300, 3, 200 * time.Millisecond, 1500 * time.Millisecond},
		// Long units: few completions must do.
		"long units": {2, 2, 1, 300, 1.5, 3 * time.Second, 10 * time.Second},
	} {
		f := &flow{limit: 8, rate: test.rate, residence: test.residence, cv2: test.cv2}
		took, w := f.measured(t, test.units, test.turns, test.residence)
		if took < test.low || took > test.high {
			t.Errorf("%s: took %v, want %v to %v", name, took, test.low, test.high)
		}
		if math.Abs(w.X/test.rate-1) > 0.25 {
			t.Errorf("%s: throughput %.1f, want %.1f", name, w.X, test.rate)
		}
	}
}

// A longer look costs more time, never less.
func TestWindowsGrowWithTheUnitsAskedFor(t *testing.T) {
	var last time.Duration
	for _, units := range []float64{50, 100, 300, 1000} {
		f := &flow{limit: 50, rate: 1000, residence: 0.05, cv2: 1}
		took, _ := f.measured(t, units, 100, 0.05)
		if took < last {
			t.Errorf("%v units took %v, fewer took %v", units, took, last)
		}
		last = took
	}
}

// A window ends although nothing completes: the CPUs may know better.
func TestWindowsEndWithoutCompletions(t *testing.T) {
	for _, residence := range []float64{0, 0.01, 1} {
		f := &flow{limit: 4, residence: 1}
		took, w := f.measured(t, 300, 1.5, residence)
		if took > time.Minute/2 || w.Comp != 0 || w.X != 0 {
			t.Errorf("residence %v: took %v, saw %+v", residence, took, w)
		}
	}
}

// Units of equal length finish in waves. Occupancy over mean residence sees
// the throughput where counting sees the waves.
func TestEvenUnitsAreMeasuredByLittlesLaw(t *testing.T) {
	const limit, residence = 24, 0.25
	wave := func(r *control.Reading, at time.Duration) { // 24 units end together, four times a second
		r.At, r.Limit, r.InFlight, r.CPUs = at, limit, limit, 4
		r.Occupancy = limit * at.Seconds()
		waves := int64(at / (250 * time.Millisecond))
		r.Completed, r.Timed, r.Units = limit*waves, limit*waves, float64(limit*waves)
		r.Residence = residence * float64(r.Timed)
		r.Residence2 = residence * r.Residence
	}
	var r control.Reading
	wave(&r, 0)
	for _, offset := range []time.Duration{0, 40, 120, 200, 240} { // ms into a wave
		wave(&r, time.Second+offset*time.Millisecond)
		m := control.NewMeter(r, limit, control.HoldUnits, 1.5, residence)
		for !m.Take(r) {
			wave(&r, r.At+10*time.Millisecond)
		}
		w := m.Window()
		if !w.Even || math.Abs(w.X-limit/residence) > 0.01*limit/residence {
			t.Errorf("begun %v ms into a wave: even %v, throughput %.1f, want %v", offset, w.Even, w.X, limit/residence)
		}
	}
}

func TestUnevenUnitsAreCounted(t *testing.T) {
	f := &flow{limit: 20, rate: 500, residence: 0.08, cv2: 1} // occupancy over residence would be 250
	if _, w := f.measured(t, 300, 3, 0.08); w.Even || math.Abs(w.X-500) > 10 {
		t.Errorf("even %v, throughput %.1f, want 500 by count", w.Even, w.X)
	}
}

// Units may be weighted: throughput is their weight, not their number.
func TestThroughputIsWeighed(t *testing.T) {
	f := &flow{limit: 20, rate: 500, residence: 0.04, cv2: 1}
	m := control.NewMeter(f.r, 0, 300, 3, 0.04)
	var w control.Window
	for range 500 {
		r := f.next()
		r.Units *= 7
		if m.Take(r) {
			w = m.Window()
			break
		}
	}
	if math.Abs(w.X-3500) > 70 {
		t.Errorf("throughput %.1f, want 3500", w.X)
	}
}

// After a change the units of the old limit are left out: a residence at least.
func TestMeterSettles(t *testing.T) {
	for _, residence := range []float64{0.05, 0.5, 3} {
		f := &flow{limit: 8, rate: 100, residence: residence, cv2: 1}
		f.r.Limit = 4
		m := control.NewMeter(f.r, 8, 300, 3, residence)
		for m.Settling() {
			if f.r.At > time.Minute {
				t.Fatal("never settles")
			}
			m.Take(f.next())
		}
		if got := f.r.At.Seconds(); got < residence || got > 5*residence+0.1 {
			t.Errorf("residence %v s: settled after %v s", residence, got)
		}
	}
}

// Where the collector is busy, a raise settles with the heap: by collections,
// and if those stop, within half a second.
func TestMeterWaitsForTheHeap(t *testing.T) {
	settled := func(from, to int, rate, perReading float64) time.Duration {
		f := &flow{limit: to, rate: 400, residence: 0.02, cv2: 1}
		f.r.Limit = from
		m := control.NewMeterOfHeap(f.r, to, 300, 3, f.residence, rate)
		for n := 0.0; m.Settling() && f.r.At < time.Minute; n += perReading {
			r := f.next()
			r.Collections = int64(n)
			m.Take(r)
		}
		return f.r.At
	}
	plain := settled(8, 10, 5, 1)
	for _, test := range []struct {
		name      string
		from, to  int
		rate, per float64
		low, high time.Duration
	}{
		{"a raise", 8, 10, 60, 0.5, 200 * time.Millisecond, 230 * time.Millisecond},
		{"a raise after which collections stop", 8, 10, 60, 0, 500 * time.Millisecond, 520 * time.Millisecond},
		{"a cut", 10, 8, 60, 0, plain, plain},
	} {
		if got := settled(test.from, test.to, test.rate, test.per); got < test.low || got > test.high {
			t.Errorf("%s settles after %v, want %v to %v", test.name, got, test.low, test.high)
		}
	}
	if plain > 50*time.Millisecond {
		t.Errorf("with few collections a raise settles after %v", plain)
	}
}

// Without a change there is nothing to settle.
func TestMeterNeedNotSettle(t *testing.T) {
	f := &flow{limit: 8, rate: 100, residence: 1, cv2: 1}
	f.r.Limit = 8
	if control.NewMeter(f.r, 8, 300, 3, 1).Settling() {
		t.Error("settles at the limit that stands")
	}
}

// Where a queue builds up behind a raised limit, the new units take longer
// than the old ones did, and the meter waits for the queue; but not for ever.
func TestMeterWaitsForAQueue(t *testing.T) {
	settled := func(newUnits float64) float64 {
		f := &flow{limit: 64, rate: 800, residence: newUnits, cv2: 0.1}
		f.r.Limit = 16
		m := control.NewMeter(f.r, 64, 300, 3, 0.02)
		for m.Settling() && f.r.At < time.Minute {
			m.Take(f.next())
		}
		return f.r.At.Seconds()
	}
	quick, slow := settled(0.02), settled(0.05)
	if slow < quick+0.01 {
		t.Errorf("settled after %v s behind a queue, %v s without one", slow, quick)
	}
	if slow > 1 {
		t.Errorf("settled only after %v s", slow)
	}
}

func TestHopeless(t *testing.T) {
	for _, test := range []struct {
		comp, want, cv2 float64
		hopeless        bool
	}{
		{0, 0, 1, false},
		{0, 3, 1, false},   // too early to tell
		{0, 100, 1, true},  // nothing where a hundred were due
		{50, 100, 1, true}, // half
		{95, 100, 1, false},
		{100, 100, 1, false},
		{150, 100, 1, false},
		{30, 60, 5, false}, // heavy tails take longer to tell
	} {
		if got := control.Hopeless(test.comp, test.want, test.cv2); got != test.hopeless {
			t.Errorf("%v of %v, dispersion %v: got %v", test.comp, test.want, test.cv2, got)
		}
	}
}

// A window that must show a throughput ends early where it cannot.
func TestHopelessWindowsEndEarly(t *testing.T) {
	took := func(hope float64) time.Duration {
		f := &flow{limit: 8, rate: 400, residence: 0.02, cv2: 1}
		f.r.Limit = 8
		m := control.NewMeter(f.r, 8, 3000, 1000, 0.02)
		m.Hope(hope)
		for !m.Take(f.next()) {
		}
		return f.r.At
	}
	if half, all := took(800), took(400); half > all/4 {
		t.Errorf("%v with half of the throughput hoped for, %v with all of it", half, all)
	}
}

func TestWhatTheCPUsSay(t *testing.T) {
	for name, test := range map[string]struct {
		w                    control.Window
		full, cpuLed, seated bool
	}{
		"idle machine":      {control.Window{N: 4, CPUs: 4, U: 0, Idle: 1}, false, false, false},
		"CPU-bound":         {control.Window{N: 4, CPUs: 4, U: 1, Idle: 0}, true, true, true},
		"CPU-bound, queue":  {control.Window{N: 8, CPUs: 4, U: 1, Idle: 0}, true, true, false},
		"one core of four":  {control.Window{N: 1, CPUs: 4, U: 0.25, Idle: 0.75}, false, false, false},
		"half":              {control.Window{N: 4, CPUs: 4, U: 0.5, Idle: 0.5}, false, false, false},
		"a neighbour's":     {control.Window{N: 4, CPUs: 4, U: 0.05, Idle: 0}, false, false, false}, // ours is to be had
		"shared":            {control.Window{N: 4, CPUs: 4, U: 0.5, Idle: 0}, true, true, true},
		"nearly all, mixed": {control.Window{N: 40, CPUs: 4, U: 0.9, Idle: 0.1}, false, true, false},
	} {
		if w := test.w; w.Full() != test.full || w.CPULed() != test.cpuLed || w.Seated() != test.seated {
			t.Errorf("%s: full %v, led by CPU %v, seated %v", name, w.Full(), w.CPULed(), w.Seated())
		}
	}
}

// Half of the CPUs used by ten units: twenty would use them all.
func TestRoof(t *testing.T) {
	if got := (control.Window{Busy: 10, U: 0.5, Idle: 0.5}).Roof(); got != 20 {
		t.Errorf("got %v, want 20", got)
	}
	if got := (control.Window{Busy: 10, U: 0.001, Idle: 0.9}).Roof(); !math.IsInf(got, 1) {
		t.Errorf("hardly any CPU used: got %v, want no bound", got)
	}
}
