package control_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// A server that takes 16 requests at a time, 20 ms each.
func ExampleNewLatency() {
	c := control.NewLatency()
	p := &fluid{cpus: 4, rate: server(16, 20*time.Millisecond)}
	p.see = func(_ control.Reading, d control.Decision) {
		if d.Reason.Kind != control.None {
			fmt.Println(d.Reason)
		}
	}
	p.run(c, 4, 2500*time.Millisecond)
	// Output:
	// starts at 4
	// doubled 4→8: units take 20 ms, 20 ms without load
	// doubled 8→16: units take 20 ms, 20 ms without load
	// doubled 16→32: units take 20 ms, 20 ms without load
	// 32→20: units take 40 ms, 20 ms without load
	// tries 12: measures the time in flight without load
	// stays at 20: 12 lost 25 %; units take 20 ms, 20 ms without load
}

func ExampleLatency_Next() {
	c := control.NewLatency()
	r := control.Reading{Limit: 4, CPUs: 4}
	c.Next(r)
	r.At, r.Completed, r.Timed, r.Residence, r.Occupancy, r.Bound = 100*time.Millisecond, 40, 40, 0.4, 0.4, 0.1
	r.Residence2 = 0.004 // all take the same time
	fmt.Println(c.Next(r).Limit)
	// Output: 8
}

func ExampleLatency_Unloaded() {
	c := control.NewLatency()
	p := &fluid{cpus: 4, rate: server(16, 20*time.Millisecond)}
	p.run(c, 4, 10*time.Second)
	fmt.Println(c.Unloaded().Round(time.Millisecond))
	// Output: 20ms
}

// limits runs p up to a time and returns the least and the most limit in the last
// part of it.
func limits(p *fluid, c control.Controller, start int, until, last time.Duration) *sweep {
	p.see = nil
	p.run(c, start, until-last)
	s := newSweep()
	p.see = s.see
	p.run(c, start, until)
	return s
}

// Wherever it begins the law ends a quarter above what the server takes at a time,
// but for a look at 0.6 of that.
func TestLatencyFindsTheKnee(t *testing.T) {
	rerun.Skip(t)
	for _, slots := range []int{1, 2, 3, 10, 100, 3000} {
		for _, start := range []int{1, 4, 64, 1000} {
			if start > 100*slots {
				continue // units take 20 s and more then
			}
			c := control.NewLatency()
			p := &fluid{cpus: 4, rate: server(slots, 20*time.Millisecond)}
			got := limits(p, c, start, time.Minute, 20*time.Second)
			want := int(math.Ceil(1.25 * float64(slots)))
			if got.most > want+max(1, slots/5) || got.least < int(0.55*float64(slots)) {
				t.Errorf("%d slots from %d: limit %d to %d, want %d", slots, start, got.least, got.most, want)
			}
			if r0 := c.Unloaded().Seconds(); r0 < 0.019 || r0 > 0.022 {
				t.Errorf("%d slots from %d: R0 is %v s, want 0.02", slots, start, r0)
			}
		}
	}
}

// Capacity halves, and comes back: within 5 s the limit is right.
func TestLatencyFollowsCapacity(t *testing.T) {
	c := control.NewLatency()
	slots := 20.0
	p := &fluid{cpus: 4, rate: func(n int, _ time.Duration) float64 { return min(float64(n), slots) / 0.05 }}
	p.run(c, 4, 20*time.Second)
	for i, s := range []float64{10, 20, 5, 20} {
		slots = s
		at := 20*time.Second + time.Duration(i)*20*time.Second
		got := limits(p, c, 4, at+6*time.Second, time.Second)
		if float64(got.most) > 1.5*s+1 || float64(got.least) < 0.55*s {
			t.Errorf("5 s after there are %v slots: limit %d to %d", s, got.least, got.most)
		}
		p.see = nil
		p.run(c, 4, at+20*time.Second)
	}
}

// Where all units take three times as long that is no queue: the limit is what it
// was, apart from a moment to find out.
func TestLatencyFollowsTheWork(t *testing.T) {
	c := control.NewLatency()
	each := 0.02
	p := &fluid{cpus: 4, rate: func(n int, _ time.Duration) float64 { return min(float64(n), 30) / each }}
	p.run(c, 4, 20*time.Second)
	for i, e := range []float64{0.06, 0.02} {
		each = e
		got := limits(p, c, 4, 20*time.Second+time.Duration(i+1)*15*time.Second, time.Second)
		if got.most > 42 || got.least < 17 {
			t.Errorf("units take %v s: limit %d to %d, want 37", e, got.least, got.most)
		}
		if r0 := c.Unloaded().Seconds(); math.Abs(r0/e-1) > 0.1 {
			t.Errorf("R0 is %v s, want %v", r0, e)
		}
	}
}

// An hour of overload does not become the usual: units are in flight for 1.25 R0.
func TestLatencyDoesNotDrift(t *testing.T) {
	rerun.Skip(t)
	c := control.NewLatency()
	got := limits(&fluid{cpus: 4, rate: server(10, 50*time.Millisecond)}, c, 4, time.Hour, time.Minute)
	if got.most > 14 {
		t.Errorf("limit up to %d after an hour, want 13", got.most)
	}
}

// A limit that holds nobody back is left alone, and no look is taken at a lower one.
func TestLatencyWithoutLoad(t *testing.T) {
	c := control.NewLatency()
	p := &fluid{cpus: 4, rate: server(16, 20*time.Millisecond), demand: func(time.Duration) int { return 5 }}
	got := limits(p, c, 20, time.Minute, 50*time.Second)
	if got.least != 20 || got.most != 20 {
		t.Errorf("limit %d to %d with 5 units of work, want 20", got.least, got.most)
	}
}

// A limit far above the capacity that does not bind is lowered, for units queue.
func TestLatencyLowersAnIdleLimit(t *testing.T) {
	c := control.NewLatency()
	want := 5
	p := &fluid{cpus: 4, rate: server(16, 20*time.Millisecond), demand: func(time.Duration) int { return want }}
	p.run(c, 1000, 5*time.Second)
	want = 200
	got := limits(p, c, 1000, 20*time.Second, 5*time.Second)
	if got.most > 24 {
		t.Errorf("limit up to %d, want 20", got.most)
	}
}

// Where a part of the units end as overloads whatever the limit, as those of one client
// do, all others have theirs. Where it is the limit's fault few do, at the limit borne.
func TestLatencyInOverload(t *testing.T) {
	rerun.Skip(t)
	law := func() control.Controller { return control.NewOverload(control.NewLatency()) }
	run := func(s service) (done, lost int64) {
		s.servers, s.each = 40, 20*time.Millisecond
		c := law()
		s.run(c, 4, 20*time.Second)
		return s.run(c, 4, 80*time.Second)
	}
	most, _ := run(service{})
	for _, refused := range []float64{0.03, 0.2, 0.8} {
		done, lost := run(service{share: func(_ int, at time.Duration) float64 {
			if at < 20*time.Second {
				return 0
			}
			return refused
		}})
		if want := 0.9 * float64(most) * (1 - refused); float64(done) < want {
			t.Errorf("%v of the units refused: %d done and %d refused, want %.0f done", refused, done, lost, want)
		}
	}
	bears := service{takes: always(24), reply: time.Millisecond}
	if done, lost := run(bears); float64(done) < 0.9*60*24/0.02 || lost > done/100 {
		t.Errorf("at a service that bears 24: %d done and %d refused, want 0.9 of 72,000 done", done, lost)
	}
}

// A look at R0 goes no lower than the bounds let it, and where they leave no room for
// one none is taken: what is in force is never taken for what was asked for.
func TestLatencyLooksWithinTheBounds(t *testing.T) {
	for _, least := range []int{8, 15, 16, 20} {
		c := control.NewLatency()
		p := &fluid{cpus: 4, rate: server(16, 20*time.Millisecond)}
		p.r = control.Reading{Limit: 20, Min: least, Max: 1000}
		looks := 0
		p.see = func(r control.Reading, d control.Decision) {
			if d.Reason.Kind != control.Probe {
				return
			}
			if looks++; d.Limit < least || float64(d.Limit) > 0.75*float64(r.Limit) {
				t.Errorf("at least %d: a look from %d to %d", least, r.Limit, d.Limit)
			}
		}
		p.run(c, 20, time.Minute)
		// From 20 on all that is ever seen are 25 ms, with a queue.
		want := max(20, least*5/4)
		if r0 := c.Unloaded().Seconds(); r0 < 0.019 || r0 > 0.022 && least < 20 {
			t.Errorf("at least %d: R0 is %v s, want 0.02", least, r0)
		}
		if (looks > 0) != (least < 20) || p.r.Limit > want+1 {
			t.Errorf("at least %d: %d looks, and the limit is %d, want %d", least, looks, p.r.Limit, want)
		}
	}
}

// A limit set manually during a look ends it: what is seen there is not taken for R0, and
// where the hand lets go the law goes on with what it knew.
func TestLatencyForgetsALookMovedManual(t *testing.T) {
	for _, hand := range []int{200, 18, 5} {
		c := control.NewLatency()
		p := &fluid{cpus: 4, rate: server(16, 10*time.Millisecond)}
		p.run(c, 4, 5*time.Second)
		looks := false
		p.see = func(_ control.Reading, d control.Decision) { looks = looks || d.Reason.Kind == control.Probe }
		for !looks {
			p.tick(c)
		}
		p.r.Limit, p.r.Min, p.r.Max = hand, hand, hand
		p.see = func(r control.Reading, d control.Decision) {
			if d.Reason.Kind == control.Probe || d.Reason.Kind == control.Stay {
				t.Errorf("at %d by hand: %v", hand, d.Reason)
			}
		}
		p.run(c, hand, p.r.At+5*time.Second)
		if r0 := c.Unloaded().Seconds(); math.Abs(r0/0.01-1) > 0.1 {
			t.Errorf("at %d by hand: R0 is %v s, want 0.01", hand, r0)
		}
	}
}

// Where units end of which no time is known there is no rate: the limit stays, while
// it is being doubled as well as later.
func TestLatencyWithoutTimes(t *testing.T) {
	for _, after := range []time.Duration{0, 10 * time.Second} {
		for name, odd := range map[string]func(r *control.Reading){
			"none":     func(r *control.Reading) { r.Residence, r.Residence2 = 0, 0 },
			"no load":  func(r *control.Reading) { r.Occupancy = math.NaN() },
			"all load": func(r *control.Reading) { r.Occupancy = float64(r.At) * 1e300 },
		} {
			c := control.NewLatency()
			p := &fluid{cpus: 4, rate: server(16, 20*time.Millisecond)}
			p.run(c, 4, after)
			before := max(4, p.r.Limit)
			p.edit = odd
			p.see = func(r control.Reading, d control.Decision) {
				if r.At > after+time.Second && d.Limit != before {
					t.Fatalf("%s after %v: from %d to %d", name, after, before, d.Limit)
				}
			}
			p.run(c, 4, after+5*time.Second)
		}
	}
}

// Where nobody does what the law decides it says so once, and again when the work
// has changed; and when it is heard at last it goes on.
func TestLatencyInVain(t *testing.T) {
	for _, start := range []int{10, 40} {
		c := control.NewLatency()
		slots := 16
		p := &fluid{cpus: 4, rate: func(n int, at time.Duration) float64 { return server(slots, 10*time.Millisecond)(n, at) }}
		heard, told := false, 0
		var last control.Reason
		p.edit = func(r *control.Reading) {
			if !heard {
				r.Limit = start
			}
		}
		p.see = func(_ control.Reading, d control.Decision) {
			if d.Reason.Kind != control.None && d.Reason.Kind != control.Start {
				told, last = told+1, d.Reason
			}
		}
		p.run(c, start, time.Minute)
		if told != 1 || last.Kind != control.Grow || last.To != 2*start {
			t.Errorf("at %d: told %d times, at last %q, want once that it be doubled", start, told, last)
		}
		slots, told = 4, 0
		p.run(c, start, 2*time.Minute)
		if told < 1 || told > 3 || last.Kind != control.Shrink {
			t.Errorf("at %d, a quarter of the slots: told %d times, at last %q, want that it be cut", start, told, last)
		}
		heard, told = true, 0
		p.run(c, start, 3*time.Minute)
		if told < 2 || p.r.Limit > 6 || p.r.Limit < 3 {
			t.Errorf("from %d: limit %d once it is heard, told %d times, want 5", start, p.r.Limit, told)
		}
	}
}

// A move that a bound forbids is not one in vain: when the bound is gone the limit
// does not move without a word.
func TestLatencyTellsWhenABoundIsGone(t *testing.T) {
	c := control.NewLatency()
	p := &fluid{cpus: 4, rate: server(16, 10*time.Millisecond)}
	p.r = control.Reading{Limit: 8, Min: 1, Max: 8}
	p.run(c, 8, 5*time.Second)
	p.r.Max = 1000
	p.see = func(r control.Reading, d control.Decision) {
		if d.Limit > r.Limit && d.Reason.Kind != control.Grow && d.Reason.Kind != control.Stay {
			t.Errorf("from %d to %d for %q", r.Limit, d.Limit, d.Reason)
		}
	}
	p.run(c, 8, 10*time.Second)
	if p.r.Limit < 12 {
		t.Errorf("limit %d after the bound is gone, want 20", p.r.Limit)
	}
}

// Whatever the sensors say, the limit is one.
func TestLatencyBearsOddReadings(t *testing.T) {
	rerun.Skip(t)
	nan, inf := math.NaN(), math.Inf(1)
	for name, odd := range map[string]func(*control.Reading){
		"residence NaN":   func(r *control.Reading) { r.Residence, r.Residence2 = nan, nan },
		"residence Inf":   func(r *control.Reading) { r.Residence = inf },
		"residence 0":     func(r *control.Reading) { r.Residence, r.Residence2 = 0, 0 },
		"residence back":  func(r *control.Reading) { r.Residence = -r.Residence },
		"squares 0":       func(r *control.Reading) { r.Residence2 = 0 },
		"squares Inf":     func(r *control.Reading) { r.Residence2 = inf },
		"occupancy NaN":   func(r *control.Reading) { r.Occupancy = nan },
		"occupancy Inf":   func(r *control.Reading) { r.Occupancy = inf },
		"occupancy back":  func(r *control.Reading) { r.Occupancy = -r.Occupancy },
		"nothing timed":   func(r *control.Reading) { r.Timed = 0 },
		"nothing done":    func(r *control.Reading) { r.Timed, r.Completed, r.Overloads = 0, 0, r.Completed },
		"bound NaN":       func(r *control.Reading) { r.Bound = nan },
		"completed jumps": func(r *control.Reading) { r.Completed *= 1 << 40 },
		"completed back":  func(r *control.Reading) { r.Completed = -r.Completed },
		"time stands":     func(r *control.Reading) { r.At = 5 * time.Second },
		"time runs back":  func(r *control.Reading) { r.At = 10*time.Second - r.At },
		"a limit of 0":    func(r *control.Reading) { r.Limit = 0 },
		"huge limit":      func(r *control.Reading) { r.Limit = math.MaxInt32 },
	} {
		for _, always := range []bool{true, false} {
			c := control.NewLatency()
			c.Max = bound
			p := &fluid{cpus: 4, rate: server(50, 20*time.Millisecond)}
			p.r = control.Reading{Limit: 4, Min: 1, Max: bound}
			for i := range 3000 {
				r := p.r
				if always || i > 500 && i%200 < 20 {
					odd(&r)
				}
				d := c.Next(r)
				if d.Limit < min(1, r.Limit) || d.Limit > max(bound, r.Limit) || d.After < 0 {
					t.Fatalf("%s: limit %d after %v to %+v", name, d.Limit, d.After, r)
				}
				_ = d.Reason.String()
				p.r.Limit = min(d.Limit, bound)
				p.flow()
			}
		}
	}
}

func BenchmarkLatencyNext(b *testing.B) {
	c := control.NewLatency()
	p := &fluid{cpus: 4, rate: server(16, 20*time.Millisecond)}
	p.run(c, 4, time.Second)
	b.ReportAllocs()
	for b.Loop() {
		p.tick(c)
	}
}
