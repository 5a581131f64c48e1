package loop_test

import (
	"context"
	"math"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/loop"
	"github.com/sweetspot-go/sweetspot/sense"
)

// TestReading: with everything constant, each total is its rate times At.
func TestReading(t *testing.T) {
	alone(t)
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		c := &recorder{law: keep}
		l := loop.New(loop.Config{Controller: c, Start: 3, Min: 2, Max: 7,
			Sensor: sensor(func(inFlight int) sense.Sample {
				s := time.Since(began).Seconds()
				return sense.Sample{
					OwnCPU: 100 + 1.5*s, MachineCPU: 1000 + 1.75*s, CPUs: 2.5,
					Runnable: float64(2 * inFlight), Tick: 0.004,
				}
			})})
		pause(time.Hour) // at rest: this is no time to At
		take(t, l, 3)
		go l.Acquire(t.Context())
		go l.Acquire(t.Context())
		pause(time.Second)
		if n := c.asked(); n < 90 || n > 110 {
			t.Errorf("%d ticks a second, want about 100", n)
		}
		// Of the first tick, only its end was seen with three in flight, and by
		// the sensor.
		before, first := control.Reading{}, c.all()[0]
		for _, r := range c.all() {
			if dt := r.At - before.At; dt < 7*time.Millisecond || dt > 13*time.Millisecond {
				t.Errorf("a tick of %v", dt)
			}
			before = r
			at := r.At.Seconds()
			if r.Limit != 3 || r.Min != 2 || r.Max != 7 || r.InFlight != 3 || r.Waiting != 2 || r.CPUs != 2.5 || r.Tick != 0.004 {
				t.Fatalf("state %+v", r)
			}
			if !near(r.Occupancy-first.Occupancy, 3*(r.At-first.At).Seconds()) || !near(r.Bound, at) ||
				!near(r.OwnCPU, 1.5*(r.At-first.At).Seconds()) || !near(r.MachineCPU, 1.75*(r.At-first.At).Seconds()) || !near(r.Runnable, 6*at) {
				t.Fatalf("totals %+v", r)
			}
		}
		for range 3 {
			l.Release()
		}
		synctest.Wait()
		for range 2 {
			l.Release()
		}
		rests(t, l)
		if r := c.last(); r.Completed != 5 || r.Units != 5 || r.InFlight != 0 || r.Waiting != 0 {
			t.Errorf("at the end %+v", r)
		}
	})
}

// TestReadingLeavesOutRests: the totals do not grow while nothing is in flight,
// but for the tick or two that it takes to see that.
func TestReadingLeavesOutRests(t *testing.T) {
	alone(t)
	synctest.Test(t, func(t *testing.T) {
		began, c := time.Now(), &recorder{law: keep}
		var calls atomic.Int64
		l := loop.New(loop.Config{Controller: c, Start: 1,
			Sensor: sensor(func(int) sense.Sample {
				calls.Add(1)
				return sense.Sample{OwnCPU: time.Since(began).Seconds(), CPUs: 2}
			})})
		const stretches = 10
		for range stretches {
			take(t, l, 1)
			go func() { l.Acquire(t.Context()); l.Release() }() // the limit holds it back
			pause(100 * time.Millisecond)
			l.Release()
			rests(t, l)
			before := calls.Load()
			pause(time.Hour)
			if n := calls.Load() - before; n != 0 {
				t.Fatalf("looked %d times at rest", n)
			}
		}
		r := c.last()
		most := (stretches * (100 + 26) * time.Millisecond).Seconds()
		if at := r.At.Seconds(); at < 1 || at > most {
			t.Errorf("At %v, want 1 s of work and at most two ticks for each rest", r.At)
		}
		if first := c.all()[0]; !near(r.OwnCPU, (r.At-first.At).Seconds()) || !near(r.Bound, stretches*0.1) {
			t.Errorf("%+v: want OwnCPU like At since the first tick, and bound for 1 s", r)
		}
		// In flight at the ends of each stretch counts for half a tick.
		if r.Occupancy < 0.99 || r.Occupancy > 1.07 {
			t.Errorf("occupancy %v s, want 1 s", r.Occupancy)
		}
		if s := l.Stats(); s.Active != r.At {
			t.Errorf("active for %v, want %v", s.Active, r.At)
		}
	})
}

// TestOddSensor: CPU time that falls back counts as none, and no
// CPUs and a ceiling below 1 leave the limit in order.
func TestOddSensor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cpu := 1000.0
		l := loop.New(loop.Config{Start: 4, Sensor: sensor(func(int) sense.Sample {
			cpu -= 10
			return sense.Sample{OwnCPU: cpu, MachineCPU: cpu, CPUs: 0, Ceiling: -3, Why: "nonsense"}
		})})
		for range 8 { // by the default law
			go func() {
				for range 100 {
					l.Do(t.Context(), func(context.Context) error { time.Sleep(10 * time.Millisecond); return nil })
				}
			}()
		}
		pause(200 * time.Millisecond)
		s := l.Stats()
		if s.Limit < 1 || s.OwnCPU != 0 || s.MachineCPU != 0 || s.CPUs != 0 || math.IsNaN(s.Rate) || s.Rate <= 0 {
			t.Errorf("got %+v", s)
		}
		pause(time.Minute)
		rests(t, l)
	})
}

// TestDecisionInBounds: whatever a law decides, the limit stays within bounds.
func TestDecisionInBounds(t *testing.T) {
	for _, c := range []struct {
		decided, want int
		config        loop.Config
	}{
		{0, 1, loop.Config{}},
		{-5, 1, loop.Config{}},
		{math.MinInt, 1, loop.Config{}},
		{math.MaxInt, 100_000, loop.Config{}},
		{17, 17, loop.Config{}},
		{0, 3, loop.Config{Min: 3}},
		{math.MaxInt, 8, loop.Config{Max: 8}},
		{math.MaxInt, 1 << 22, loop.Config{Max: 1 << 22}},
		{9, 5, loop.Config{Min: 5, Max: 5}},
	} {
		synctest.Test(t, func(t *testing.T) {
			c.config.Start = 4
			l := governed(want(c.decided), c.config)
			take(t, l, 1)
			pause(30 * time.Millisecond)
			if got := l.Limit(); got != c.want {
				t.Errorf("limit %d after the law said %d, want %d", got, c.decided, c.want)
			}
			l.Release()
			rests(t, l)
		})
	}
}

// TestAfter: the law is not asked before it wants to be, unless units report
// overload.
func TestAfter(t *testing.T) {
	alone(t)
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			after time.Duration
			asked int // in a second
		}{
			{100 * time.Millisecond, 10},
			{600 * time.Millisecond, 2},
			{time.Hour, 1},
			{math.MaxInt64, 1},
		} {
			rec := &recorder{law: func(r control.Reading) control.Decision {
				return control.Decision{Limit: r.Limit, After: c.after}
			}}
			l := setTo(governed(rec, loop.Config{}), 2)
			take(t, l, 2)
			pause(time.Second)
			all := rec.all()
			for i, r := range all[1:] {
				if d := r.At - all[i].At; d < c.after {
					t.Errorf("asked after %v, not before %v was wanted", d, c.after)
				}
			}
			if n := rec.asked(); n > c.asked || n < c.asked-1 {
				t.Errorf("After %v: asked %d times in a second, want %d", c.after, n, c.asked)
			}
			before := rec.asked()
			l.End(l.Clock(), loop.Overloaded, 1)
			pause(14 * time.Millisecond)
			if n := rec.asked() - before; n != 1 || rec.last().Overloads != 1 {
				t.Errorf("After %v: asked %d times after an overload, want once", c.after, n)
			}
			l.Release()
			rests(t, l)
		}
		rec := &recorder{law: func(r control.Reading) control.Decision {
			return control.Decision{Limit: r.Limit, After: -time.Hour}
		}}
		l := governed(rec, loop.Config{})
		take(t, l, 1)
		pause(100 * time.Millisecond)
		if rec.asked() < 9 {
			t.Errorf("asked %d times with a negative After, want each tick", rec.asked())
		}
		l.Release()
		rests(t, l)
	})
}

// TestSensorWaitsForTheFirstTick: a Limiter in use for less than a tick reads no
// sensor. One that rests in between misses nothing.
func TestSensorWaitsForTheFirstTick(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, looked := time.Now(), 0
		c := &recorder{law: keep}
		l := loop.New(loop.Config{Controller: c, Sensor: sensor(func(int) sense.Sample {
			looked++
			return sense.Sample{OwnCPU: time.Since(began).Seconds(), CPUs: 2}
		})})
		take(t, l, 1)
		pause(3 * time.Millisecond)
		l.Release()
		l.Retire()
		pause(time.Second)
		if looked != 0 {
			t.Errorf("looked %d times before the first tick", looked)
		}
		take(t, l, 1)
		pause(100 * time.Millisecond)
		l.Release()
		rests(t, l)
		before := c.last()
		take(t, l, 1)
		pause(100 * time.Millisecond)
		l.Release()
		rests(t, l)
		if after := c.last(); !near(after.OwnCPU-before.OwnCPU, (after.At-before.At).Seconds()) || after.OwnCPU == before.OwnCPU {
			t.Errorf("own CPU grew by %v s in %v", after.OwnCPU-before.OwnCPU, after.At-before.At)
		}
	})
}

// TestSoon: a law in a hurry gets twice the ticks, for as long as it is.
func TestSoon(t *testing.T) {
	alone(t)
	synctest.Test(t, func(t *testing.T) {
		c := &recorder{law: func(r control.Reading) control.Decision {
			return control.Decision{Limit: r.Limit, Soon: r.At < time.Second}
		}}
		l := governed(c, loop.Config{})
		take(t, l, 1)
		pause(time.Second)
		hurried := c.asked()
		pause(time.Second)
		if n := c.asked() - hurried; hurried < 190 || hurried > 210 || n < 90 || n > 110 {
			t.Errorf("%d ticks in a second in a hurry, %d in the next; want about 200 and 100", hurried, n)
		}
		l.Release()
		rests(t, l)
	})
}

// TestRest: it stops when nothing is in flight, holds nothing that keeps it in
// memory, and starts again.
func TestRest(t *testing.T) {
	alone(t)
	var dropped weak.Pointer[loop.Loop]
	before := runtime.NumGoroutine()
	synctest.Test(t, func(t *testing.T) {
		c := &recorder{law: func(r control.Reading) control.Decision {
			return control.Decision{Limit: r.Limit, Experiment: true}
		}}
		l := governed(c, loop.Config{})
		dropped = weak.Make(l)
		if l.Awake() {
			t.Error("awake before there is work")
		}
		for range 3 {
			asked := c.asked()
			take(t, l, 1)
			if !l.Awake() {
				t.Error("asleep with a unit in flight")
			}
			pause(time.Minute)
			if !l.Awake() || c.asked() < asked+5900 {
				t.Error("fell asleep over a long unit")
			}
			l.Release()
			rests(t, l)
		}
	})
	for began := time.Now(); runtime.NumGoroutine() > before; { // ticks of Limiters of other tests come and go
		if time.Since(began) > time.Minute {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
		time.Sleep(time.Millisecond)
	}
	runtime.GC()
	runtime.GC()
	if dropped.Value() != nil {
		t.Error("something still refers to a Limiter that was dropped")
	}
}

// TestFailingUnitsKeepItAwake: short units that all fail are work, too.
func TestFailingUnitsKeepItAwake(t *testing.T) {
	for _, o := range []loop.Outcome{loop.Ignored, loop.Overloaded} {
		synctest.Test(t, func(t *testing.T) {
			c := &recorder{law: keep}
			l := governed(c, loop.Config{})
			for range 1000 {
				take(t, l, 1)
				l.End(l.Clock(), o, 1)
				pause(time.Millisecond)
			}
			rests(t, l)
			if at := c.last().At; at < 980*time.Millisecond {
				t.Errorf("outcome %d: saw %v of a second's work", o, at)
			}
		})
	}
}

// TestOutlivesBubbles: a Limiter of a package's variable may be used in one
// synctest bubble after another.
func TestOutlivesBubbles(t *testing.T) {
	alone(t)
	c := &recorder{law: keep}
	l := governed(c, loop.Config{})
	for range 3 {
		before := c.asked()
		synctest.Test(t, func(t *testing.T) {
			l.Do(t.Context(), func(context.Context) error { time.Sleep(time.Second); return nil })
			rests(t, l)
		})
		if n := c.asked() - before; n < 90 || n > 110 {
			t.Errorf("%d ticks in a second of a bubble", n)
		}
	}
	if r := c.last(); r.Timed != 3 || !near(r.Residence, 3) || r.At < 3*time.Second || r.At > 3100*time.Millisecond {
		t.Errorf("in all %+v", r)
	}
}

// TestObserve: the law is asked and told, but the limit stays.
func TestObserve(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &recorder{law: func(r control.Reading) control.Decision {
			return control.Decision{Limit: 16, Experiment: true, After: 100 * time.Millisecond,
				Reason: control.Reason{Kind: control.Probe, From: 4, To: 16, Gain: math.NaN()}}
		}}
		l := governed(c, loop.Config{Start: 4, Observe: true})
		take(t, l, 4)
		for range 100 {
			pause(7 * time.Millisecond)
			if got := l.Limit(); got != 4 {
				t.Fatalf("limit %d, want 4", got)
			}
		}
		got := l.Decisions()
		if len(got) != c.asked() {
			t.Errorf("%d changes told of %d", len(got), c.asked())
		}
		if ch := got[0]; ch.From != 4 || ch.To != 4 || ch.Reason.String() != "tries 16" {
			t.Errorf("change %+v (%v), want what it would try", ch, ch.Reason)
		}
		l.SetLimit(6)
		pause(time.Second)
		l.Auto()
		pause(time.Second)
		if got := l.Limit(); got != 6 {
			t.Errorf("limit %d, want 6 as set manually", got)
		}
		for range 4 {
			l.Release()
		}
		rests(t, l)
	})
}

// TestTickDoesNotAllocate, whatever the law does: here with the real sensor, and
// with a law that allocates nothing itself.
func TestTickDoesNotAllocate(t *testing.T) {
	n := 0
	l := loop.New(loop.Config{Controller: law(func(r control.Reading) control.Decision {
		n++
		return control.Decision{Limit: 2 + n%2, Experiment: true, // moves each time, and tells
			Reason: control.Reason{Kind: control.Probe, From: 2, To: 2 + n%2}}
	})})
	take(t, l, 1)
	defer func() {
		for l.Release(); l.Awake(); { // with its turn
			l.Tick()
		}
	}()
	for range 2 * loop.DecisionsKept {
		l.Tick()
	}
	if n := testing.AllocsPerRun(200, l.Tick); n != 0 {
		t.Errorf("a tick allocates %v times", n)
	}
}

// TestTickOfSearch: the default law allocates less than once a tick.
func TestTickOfSearch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := governed(control.NewSearch(), loop.Config{Start: 2})
		for range 4 {
			go func() {
				for range 1000 {
					l.Acquire(t.Context())
					time.Sleep(10 * time.Millisecond)
					l.Release()
				}
			}()
		}
		pause(time.Second)
		if n := testing.AllocsPerRun(1000, l.Tick); n >= 1 {
			t.Errorf("a tick allocates %v times", n)
		}
		pause(time.Minute)
		rests(t, l)
	})
}

// TestClockStandsStill: ticks at the same instant, as coarse clocks have them,
// add nothing and upset nobody.
func TestClockStandsStill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &recorder{law: control.NewSearch().Next}
		l := governed(c, loop.Config{Start: 2})
		take(t, l, 2)
		go l.Acquire(t.Context())
		pause(time.Second)
		l.Tick()
		before := c.last()
		for range 100 {
			l.Tick()
		}
		after := c.last()
		before.Limit, after.Limit = 0, 0
		if before != after {
			t.Errorf("from %+v to %+v in no time", before, after)
		}
		if s := l.Stats(); s.Limit < 1 || math.IsNaN(s.Rate) {
			t.Errorf("got %+v", s)
		}
		l.Release()
		synctest.Wait()
		l.Release()
		l.Release()
		rests(t, l)
	})
}

// One sample that is not a number does not spoil the totals.
func TestSensorThatDividesByZero(t *testing.T) {
	for i, odd := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.NaN(), math.Inf(-1)} {
		bad := 1 + 4*(i%2) // the first one, or a later one
		synctest.Test(t, func(t *testing.T) {
			began, n := time.Now(), 0
			l := governed(law(keep), loop.Config{Start: 2, Sensor: sensor(func(int) sense.Sample {
				s := time.Since(began).Seconds()
				runnable, last := 0.5, 2.0
				if n++; n == bad {
					s, runnable = odd, odd
				}
				if n > 20 {
					last = odd
				}
				return sense.Sample{CPUs: last, OwnCPU: s, MachineCPU: s, Runnable: runnable, Tick: last, Asleep: last}
			})})
			take(t, l, 1)
			pause(5 * time.Second)
			if s := l.Stats(); !(s.OwnCPU > 0.9 && s.OwnCPU < 5.1 && s.MachineCPU > 0.9 && s.MachineCPU < 5.1 && s.CPUs == 2) {
				t.Errorf("after a sample of %v: %+v", odd, s)
			}
			l.Release()
			rests(t, l)
		})
	}
}
