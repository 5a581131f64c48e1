package control_test

import (
	"math"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
)

// A flow is steady work: readings every tick, at a rate, with units of a residence and
// its dispersion, at a limit. What it does not have the test adds to the readings.
type flow struct {
	limit          int
	rate           float64
	residence, cv2 float64
	edit           func(*control.Reading)
	tick           time.Duration // 0 means 10 ms
	r              control.Reading
	done           float64
}

func (f *flow) next() control.Reading {
	tick := f.tick
	if tick == 0 {
		tick = 10 * time.Millisecond
	}
	dt := tick.Seconds()
	r := &f.r
	r.At += tick
	r.Limit, r.InFlight, r.CPUs = f.limit, f.limit, 4
	r.Occupancy += float64(f.limit) * dt
	r.Bound += dt
	f.done += f.rate * dt
	n := int64(f.done) - r.Completed
	r.Completed += n
	r.Units = float64(r.Completed)
	r.Timed += n
	r.Residence += float64(n) * f.residence
	r.Residence2 += float64(n) * f.residence * f.residence * (1 + f.cv2)
	r.TimedSince += n
	r.ResidenceSince += float64(n) * f.residence
	q := *r
	if f.edit != nil {
		f.edit(&q)
	}
	return q
}

// measured returns how long a meter took at the limit that stands, and what it saw.
func (f *flow) measured(t *testing.T, units, turns float64, k *control.Work) (time.Duration, control.Window) {
	t.Helper()
	f.r.Limit = f.limit
	m := control.NewMeter(f.r, f.limit, units, turns, k)
	return f.until(t, m)
}

func (f *flow) until(t *testing.T, m *control.Meter) (time.Duration, control.Window) {
	t.Helper()
	from := f.r.At
	for f.r.At < from+time.Minute {
		if m.Take(f.next()) {
			return f.r.At - from, m.Window()
		}
	}
	t.Fatal("no window in a minute")
	return 0, control.Window{}
}

// settled returns when a change from a limit to that of f has settled.
func (f *flow) settled(t *testing.T, from int, k *control.Work) time.Duration {
	t.Helper()
	f.r.Limit = from
	m := control.NewMeter(f.r, f.limit, control.HoldUnits, 3, k)
	for f.r.At < time.Minute {
		if m.Take(f.next()); !m.Settling() {
			return f.r.At
		}
	}
	t.Fatal("not settled in a minute")
	return 0
}

// known is work of a residence, s, of which nothing else is known.
func known(residence float64) *control.Work { return control.NewWork(residence, 0, -1) }

func TestWindowSizes(t *testing.T) {
	const ms = time.Millisecond
	for name, test := range map[string]struct {
		rate, residence, cv2 float64
		units, turns         float64
		low, high            time.Duration
	}{
		// Units come fast: never less than the CPU clocks need.
		"fast":        {100_000, 0.001, 1, 300, 1.5, 100 * ms, 110 * ms},
		"by count":    {1000, 0.2, 1, 300, 3, 300 * ms, 310 * ms},
		"more units":  {1000, 0.2, 1, 500, 3, 500 * ms, 510 * ms},
		"by turns":    {300, 0.1, 1, 300, 3, 300 * ms, 310 * ms},
		"fewer turns": {300, 0.1, 1, 300, 1.5, 150 * ms, 160 * ms},
		// Long units: an eighth of the units, or else three times the turns, must do.
		"an eighth":  {20, 0.5, 1, 300, 1.5, 1800 * ms, 1900 * ms},
		"long units": {2, 2, 1, 300, 1.5, 9000 * ms, 9010 * ms},
	} {
		t.Run(name, func(t *testing.T) {
			f := &flow{limit: 8, rate: test.rate, residence: test.residence, cv2: test.cv2}
			took, w := f.measured(t, test.units, test.turns, known(test.residence))
			if took < test.low || took > test.high {
				t.Errorf("took %v, want %v to %v", took, test.low, test.high)
			}
			if math.Abs(w.X/test.rate-1) > 0.1 {
				t.Errorf("throughput %.1f, want %.1f", w.X, test.rate)
			}
			if w.Even || w.N != 8 || w.Peak != 8 || math.Abs(w.R-test.residence) > 1e-9 || math.Abs(w.CV2-test.cv2) > 1e-9 {
				t.Errorf("saw %+v", w)
			}
		})
	}
}

// A window ends although nothing completes: that is a change, too.
func TestWindowsEndWithoutCompletions(t *testing.T) {
	for _, test := range []struct {
		residence float64
		want      time.Duration
	}{
		{0, 15 * time.Millisecond}, {0.01, time.Second}, {1, 15 * time.Second},
	} {
		f := &flow{limit: 4, residence: 1}
		took, w := f.measured(t, 300, 1.5, known(test.residence))
		if took < test.want || took > test.want+20*time.Millisecond || w.Comp != 0 || w.X != 0 {
			t.Errorf("residence %v: took %v, want %v; saw %+v", test.residence, took, test.want, w)
		}
	}
}

// After a change the units of the old limit are left out: a residence at least.
func TestMeterSettles(t *testing.T) {
	for _, residence := range []float64{0.001, 0.05, 0.5, 3} {
		for _, from := range []int{4, 12} {
			f := &flow{limit: 8, rate: 8 / residence, residence: residence, cv2: 1}
			want := max(residence, 0.02)
			if got := f.settled(t, from, known(residence)).Seconds(); got < want-1e-9 || got > 1.5*want+0.02 {
				t.Errorf("residence %v s, from %d to 8: settled after %v s", residence, from, got)
			}
		}
	}
	f := &flow{limit: 8, rate: 100, residence: 1, cv2: 1}
	if got := f.settled(t, 8, known(1)); got > 10*time.Millisecond {
		t.Errorf("without a change: settled after %v, want at once", got)
	}
	f = &flow{limit: 8}
	if got := f.settled(t, 4, known(0)); got > 10*time.Millisecond {
		t.Errorf("where no residence is known: settled after %v, want at once", got)
	}
}

// Units that have become longer are waited for, too.
func TestMeterWaitsForLongerUnits(t *testing.T) {
	f := &flow{limit: 4, rate: 40, residence: 0.6, cv2: 1}
	if got := f.settled(t, 8, known(0.1)); got < 600*time.Millisecond || got > 620*time.Millisecond {
		t.Errorf("units of 600 ms, once of 100: settled after %v", got)
	}
}

// Where a queue builds up behind a raised limit, the new units take longer than the old
// ones did, and the meter waits for the queue; but not for ever.
func TestMeterWaitsForAQueue(t *testing.T) {
	settled := func(newUnits float64) time.Duration {
		f := &flow{limit: 64, rate: 3200, residence: 0.02, cv2: 0.5}
		f.edit = func(r *control.Reading) { r.ResidenceSince = newUnits * float64(r.TimedSince) }
		return f.settled(t, 16, known(0.02))
	}
	if got := settled(0.02); got > 30*time.Millisecond {
		t.Errorf("without a queue: settled after %v", got)
	}
	// At worst the residence grows like the limit, by four.
	if got := settled(0.05); got < 80*time.Millisecond || got > 100*time.Millisecond {
		t.Errorf("behind a queue: settled after %v, want about 88 ms", got)
	}
}

// Where the collector is busy, a raise settles with the heap: by collections, and if
// those stop, within half a second.
func TestMeterWaitsForTheHeap(t *testing.T) {
	for _, test := range []struct {
		name      string
		from, to  int
		rate, per float64 // collections a second before, and a reading after the change
		low, high time.Duration
	}{
		{"few collections", 8, 10, 5, 0, 20 * time.Millisecond, 40 * time.Millisecond},
		{"a raise", 8, 10, 60, 0.5, 200 * time.Millisecond, 210 * time.Millisecond},
		{"a raise after which collections stop", 8, 10, 60, 0, 500 * time.Millisecond, 510 * time.Millisecond},
		{"a cut", 10, 8, 60, 0, 20 * time.Millisecond, 30 * time.Millisecond},
	} {
		f := &flow{limit: test.to, rate: 400, residence: 0.02, cv2: 1}
		f.edit = func(r *control.Reading) { r.Collections = int64(test.per * float64(r.At/(10*time.Millisecond))) }
		if got := f.settled(t, test.from, control.NewWork(0.02, test.rate, -1)); got < test.low || got > test.high {
			t.Errorf("%s settles after %v, want %v to %v", test.name, got, test.low, test.high)
		}
	}
}

// Units of equal length finish in waves. Occupancy over mean residence sees the
// throughput where counting sees the waves.
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
	counted := newSpread()
	for _, offset := range []time.Duration{0, 40, 120, 200, 240} { // ms into a wave
		var r control.Reading
		wave(&r, time.Second+offset*time.Millisecond)
		m := control.NewMeter(r, limit, control.HoldUnits, 1.5, known(residence))
		for !m.Take(r) {
			wave(&r, r.At+10*time.Millisecond)
		}
		w := m.Window()
		if !w.Even || math.Abs(w.X-limit/residence) > 0.01*limit/residence {
			t.Errorf("begun %v ms into a wave: even %v, throughput %.1f, want %v", int(offset), w.Even, w.X, limit/residence)
		}
		counted.see(w.Comp / w.T)
	}
	if counted.most < 1.1*counted.least {
		t.Errorf("counting sees %v to %v units/s: the test shows nothing", counted.least, counted.most)
	}
}

// A spread is the range of some figures.
type spread struct{ least, most float64 }

func newSpread() *spread { return &spread{math.Inf(1), math.Inf(-1)} }

func (s *spread) see(x float64) { s.least, s.most = min(s.least, x), max(s.most, x) }

func TestUnevenUnitsAreCounted(t *testing.T) {
	f := &flow{limit: 20, rate: 500, residence: 0.08, cv2: 1} // occupancy over residence would be 250
	if _, w := f.measured(t, 300, 3, known(0.08)); w.Even || math.Abs(w.X-500) > 10 {
		t.Errorf("even %v, throughput %.1f, want 500 by count", w.Even, w.X)
	}
}

// Units may be weighted: throughput is their weight, not their number, also where the
// units are even.
func TestThroughputIsWeighed(t *testing.T) {
	for _, cv2 := range []float64{0, 1} {
		f := &flow{limit: 20, rate: 500, residence: 0.04, cv2: cv2}
		f.edit = func(r *control.Reading) { r.Units *= 7 }
		if _, w := f.measured(t, 300, 3, known(0.04)); math.Abs(w.X-3500) > 70 {
			t.Errorf("dispersion %v: throughput %.1f, want 3500", cv2, w.X)
		}
	}
}

// A clock may be too coarse to time units at all. They count as neither even nor uneven,
// and no figure of the window is NaN.
func TestResidencesOfZero(t *testing.T) {
	for _, test := range []struct {
		rate   float64
		spread float64 // s² added to the squares a unit
	}{
		{80, 0}, {100_000, 0}, {80, 1e-12}, // 8 units in 100 ms
	} {
		f := &flow{limit: 4, rate: test.rate}
		f.edit = func(r *control.Reading) { r.Residence2 = test.spread * float64(r.Timed) }
		_, w := f.measured(t, 8, 1.5, known(0))
		if w.Comp < 8 {
			t.Errorf("%v: %v units: the test shows nothing", test, w.Comp)
		}
		for name, x := range map[string]float64{"throughput": w.X, "residence": w.R, "dispersion": w.CV2, "CPU use": w.U, "idle": w.Idle} {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				t.Errorf("%v: %s is %v", test, name, x)
			}
		}
		if w.Even || math.Abs(w.X/test.rate-1) > 0.1 {
			t.Errorf("%v: even %v, throughput %.1f, want it counted", test, w.Even, w.X)
		}
	}
}

// Where the clocks are fine and the CPUs bored, a doubling is known after some units. A
// window of a ramp may be brief, and no other.
func TestBriefWindows(t *testing.T) {
	brief := flow{limit: 64, rate: 6400, residence: 0.01, cv2: 1}
	for name, test := range map[string]struct {
		tick, others, cpu float64 // of the readings; the CPUs that the work uses
		units             float64
		low, high         time.Duration
	}{
		"fine clocks":          {0.0001, 0, 0.4, control.RampUnits, 15, 20},
		"clocks of 5 ms":       {0.005, 0, 0.4, control.RampUnits, 15, 20},
		"clocks of 10 ms":      {0.01, 0, 0.4, control.RampUnits, 25, 30},
		"clocks too coarse":    {0.05, 0, 0.4, control.RampUnits, 100, 105},
		"clocks unknown":       {0, 0, 0.4, control.RampUnits, 100, 105},
		"others unknown":       {0.0001, -1, 0.4, control.RampUnits, 15, 20},
		"so, with much CPU":    {0.0001, -1, 1.4, control.RampUnits, 100, 105},
		"others idle":          {0.0001, 0, 1.4, control.RampUnits, 15, 20},
		"CPUs not bored":       {0.0001, 0, 2.4, control.RampUnits, 100, 105},
		"others on all CPUs":   {0.0001, 1, 1.6, control.RampUnits, 100, 105},
		"a window of a duel":   {0.0001, 0, 0.4, control.HoldUnits, 100, 105},
		"few units in a while": {0.0001, 0, 0.4, 6, 15, 20},
	} {
		f := brief
		f.tick = time.Millisecond
		f.edit = func(r *control.Reading) {
			r.Tick = test.tick
			r.OwnCPU = test.cpu * r.At.Seconds()
			r.MachineCPU = r.OwnCPU + max(0, test.others)*4*r.At.Seconds()
		}
		f.r.Tick = test.tick
		took, w := f.measured(t, test.units, 1, control.NewWork(0.01, 0, test.others))
		if took < test.low*time.Millisecond || took > test.high*time.Millisecond {
			t.Errorf("%s: took %v, want %d to %d ms", name, took, test.low, test.high)
		}
		if math.Abs(w.X/f.rate-1) > 0.1 {
			t.Errorf("%s: throughput %.0f, want %v", name, w.X, f.rate)
		}
	}
}

// A brief window tells of others only what longer ones saw.
func TestBriefWindowsKnowOthersFromBefore(t *testing.T) {
	f := flow{limit: 64, rate: 6400, residence: 0.01, cv2: 1, tick: time.Millisecond}
	f.edit = func(r *control.Reading) { r.Tick = 0.0001; r.MachineCPU = 4 * r.At.Seconds() }
	f.r.Tick = 0.0001
	took, w := f.measured(t, control.RampUnits, 1, control.NewWork(0.01, 0, 0.25))
	if took.Seconds() >= control.MinWindow || math.Abs(w.Idle-0.75) > 1e-9 {
		t.Errorf("after %v idle %v, want 0.75 after less than %v s", took, w.Idle, control.MinWindow)
	}
}

// A window that must show a throughput ends early where it cannot, and by the units
// that have finished so far.
func TestTripwire(t *testing.T) {
	took := func(hope, cv2 float64) (time.Duration, control.Window) {
		f := &flow{limit: 8, rate: 400, residence: 0.02, cv2: cv2}
		f.r.Limit = 8
		m := control.NewMeter(f.r, 8, 800, 1000, known(0.02))
		m.Hope(hope)
		return f.until(t, m)
	}
	all, _ := took(400, 1)
	none, _ := took(0, 1)
	if all != none || all < 2*time.Second {
		t.Errorf("took %v with all of the throughput hoped for, %v without hope: want 2 s", all, none)
	}
	half, _ := took(800, 1)
	if half > all/4 || half < 40*time.Millisecond {
		t.Errorf("took %v with half of the throughput hoped for, %v with all of it", half, all)
	}
	if tenth, _ := took(4000, 1); tenth > 60*time.Millisecond {
		t.Errorf("took %v with a tenth of what was hoped for", tenth)
	}
	if _, w := took(800, 0); w.Even {
		t.Error("a window cut short is measured by Little's law")
	}
}

// A window says nothing about a higher limit where there is less work than permits.
func TestBoundShareOfAWindow(t *testing.T) {
	for name, test := range map[string]struct {
		inFlight        float64
		bound, runnable float64 // a second
		busy            float64 // of 4 CPUs
		want            float64
	}{
		"work waits":                       {8, 1, 0, 1, 1},
		"half of the time":                 {6, 0.5, 0, 1, 0.5},
		"no work waits":                    {2, 0, 0, 1, 0},
		"permits are all out":              {7.5, 0.3, 0, 1, 1},
		"the producer waits for a CPU":     {2, 0, 3, 4, 1},
		"full CPUs and nobody waits there": {2, 0, 0.1, 4, 0},
		"goroutines wait and CPUs idle":    {2, 0, 3, 2, 0},
	} {
		f := &flow{limit: 8, rate: 400, residence: 0.02, cv2: 1}
		f.edit = func(r *control.Reading) {
			s := r.At.Seconds()
			r.Occupancy, r.Bound, r.Runnable = test.inFlight*s, test.bound*s, test.runnable*s
			r.OwnCPU, r.MachineCPU = test.busy*s, test.busy*s
		}
		if _, w := f.measured(t, 100, 3, known(0.02)); math.Abs(w.Bound-test.want) > 0.01 {
			t.Errorf("%s: bound %.2f of the time, want %v", name, w.Bound, test.want)
		}
	}
}

// What a window takes from the counters beside the units.
func TestWindowOfCounters(t *testing.T) {
	f := &flow{limit: 8, rate: 400, residence: 0.02, cv2: 1}
	f.edit = func(r *control.Reading) {
		s := r.At.Seconds()
		r.OwnCPU, r.MachineCPU, r.Others, r.Collections = s, 3*s, control.Others{Work: 2.5 * s, Time: 2 * s}, int64(r.At/(20*time.Millisecond))
	}
	_, w := f.measured(t, 400, 3, known(0.02))
	if math.Abs(w.U-0.25) > 1e-9 || math.Abs(w.Idle-0.25) > 1e-9 || math.Abs(w.Crowd-2) > 1e-9 || math.Abs(w.Other-0.5) > 1e-9 || math.Abs(w.GC-50) > 5 || w.Busy < 7.99 {
		t.Errorf("saw %+v; want CPU use 0.25, idle 0.25, a crowd of 2 that does 0.5 more than usual, 50 collections, 8 busy", w)
	}
}

// Windows counts time in steps of 15.6 ms, and nobody knows what the others do.
func TestSearchByCoarseClocks(t *testing.T) {
	const tick = 15625 * time.Microsecond
	coarse := func(s float64) float64 { return math.Floor(s/tick.Seconds()) * tick.Seconds() }
	for _, test := range []struct {
		places int
		cpu    float64 // a unit
	}{{100, 0}, {100, 0.0002}, {4, 0.01}} {
		c := control.NewSearch()
		law := lawFunc(func(r control.Reading) control.Decision {
			r.At = r.At / tick * tick
			r.OwnCPU = coarse(r.OwnCPU)
			r.MachineCPU = r.OwnCPU
			r.Residence, r.Residence2 = coarse(r.Residence), coarse(r.Residence2)
			return c.Next(r)
		})
		p := &fluid{cpus: 4, cpu: test.cpu, rate: server(test.places, 10*time.Millisecond)}
		p.run(law, 4, 30*time.Second)
		near(t, "by coarse clocks", c.Home(), test.places*9/10, test.places*3/2)
	}
}

// Units that fail take permits, too, and for another time than those that succeed. Little's law
// must not take them for work.
func TestFailingUnitsAreNotCounted(t *testing.T) {
	f := &flow{limit: 8, rate: 200, residence: 0.02, cv2: 0} // four succeed at a time
	f.edit = func(r *control.Reading) { r.Ignored = r.Completed }
	if _, w := f.measured(t, control.HoldUnits, 3, known(0.02)); w.Even || math.Abs(w.X-200) > 10 {
		t.Errorf("half of the units fail: even %v, throughput %.1f, want 200", w.Even, w.X)
	}
}

// Where all that is over a number fails after as long as the others take, or later, the limit
// stays near that number.
func TestSearchStaysWhereMoreFail(t *testing.T) {
	for _, each := range []float64{0.02, 0.2} {
		for _, fails := range []float64{each, 1} {
			p := &fluid{cpus: 4, rate: func(n int, _ time.Duration) float64 { return float64(min(n, 20)) / each }}
			failed := 0.0
			p.edit = func(r *control.Reading) {
				r.Residence, r.Residence2 = each*float64(r.Timed), each*each*float64(r.Timed) // as even as can be
				failed += float64(max(0, r.InFlight-20)) / fails * fluidTick.Seconds()
				r.Ignored = int64(failed)
			}
			c := control.NewSearch()
			p.run(c, 4, 60*time.Second)
			if home := c.Home(); home < 18 || home > 64 {
				t.Errorf("units of %v s of which 20 at a time succeed, failures after %v s: the limit stands at %d", each, fails, home)
			}
		}
	}
}
