package learnt_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/learnt"
)

const tick = 10 * time.Millisecond

// The limit of an earlier process stays as long as it does as well as then.
func TestLawHoldsWhatItPromised(t *testing.T) {
	const limit, rate = 20, 100.0
	for name, c := range map[string]struct {
		now  float64 // units per second
		edit func(*control.Reading)
		left time.Duration // when it leaves the limit
		to   int           // for which; 7 is that of the law inside
	}{
		"as then":   {rate, nil, learnt.HoldMost, 7},
		"faster":    {2 * rate, nil, learnt.HoldMost, 7},
		"halved":    {rate / 2, nil, 2 * time.Second, 11},
		"stuck":     {0, nil, 500 * time.Millisecond, 5},
		"no demand": {rate / 100, func(r *control.Reading) { r.Bound = 0 }, learnt.HoldMost, 7},
		"failing":   {0, func(r *control.Reading) { r.Ignored = int64(2 * rate * r.At.Seconds()) }, 500 * time.Millisecond, 5},
		"refused":   {rate, func(r *control.Reading) { r.Overloads = int64(r.At / time.Second) }, time.Second, 7},
		"no room":   {rate, func(r *control.Reading) { r.Max = limit - 1 }, 0, 7},
		"too few":   {rate, func(r *control.Reading) { r.Min = limit + 1 }, 0, 7},
	} {
		law := learnt.NewLaw(control.NewFixed(7), 5, &learnt.Lesson{Limit: limit, Rate: rate, Found: true})
		left, to, last := time.Duration(-1), 0, 0
		for at := time.Duration(0); at <= learnt.HoldMost+time.Second; at += tick {
			r := reading(at, limit, c.now)
			if c.edit != nil {
				c.edit(&r)
			}
			d := law.Next(r)
			if left < 0 && d.Limit != limit {
				left, to = at, d.Limit
			}
			last = d.Limit
			if at == 0 && c.edit == nil && !strings.Contains(d.Reason.String(), "as learnt by an earlier run") {
				t.Errorf("%s: begins with %q", name, d.Reason)
			}
		}
		if left < c.left/2 || left > c.left+100*time.Millisecond {
			t.Errorf("%s: left after %v, want %v", name, left, c.left)
		}
		if to < c.to || to > c.to+1 || last != 7 {
			t.Errorf("%s: left for %d and then %d, want %d, and 7 by the law inside", name, to, last, c.to)
		}
	}
}

// A limit that does not hold its promise is left also where none is both lower and not below
// the limit that the law would have begun with: the law inside goes on from it.
func TestLawLeavesALowLimit(t *testing.T) {
	for _, c := range []struct{ start, limit int }{{4, 4}, {8, 4}, {1, 1}} {
		law := learnt.NewLaw(control.NewFixed(7), c.start, &learnt.Lesson{Limit: c.limit, Rate: 100, Found: true})
		left, to := time.Duration(-1), 0
		for at := time.Duration(0); at < 2*time.Second && left < 0; at += tick {
			if d := law.Next(reading(at, c.limit, 10)); d.Limit != c.limit {
				left, to = at, d.Limit
			}
		}
		if left < 0 || left > time.Second || to != 7 {
			t.Errorf("start %d, limit %d: left after %v for %d, want a second at most, and 7 by the law inside", c.start, c.limit, left, to)
		}
		if law.Learnt().Found {
			t.Errorf("start %d, limit %d: it counts as found", c.start, c.limit)
		}
	}
}

// reading is one of a limit at which units wait and so many a second are done.
func reading(at time.Duration, limit int, rate float64) control.Reading {
	done := rate * at.Seconds()
	return control.Reading{At: at, Limit: limit, InFlight: limit, Min: 1, Max: 1000, Completed: int64(done), Units: done, Bound: at.Seconds()}
}

// A limit that no search has found, or of a law that has another aim, is only where it begins.
func TestLawBeginsOnly(t *testing.T) {
	for name, c := range map[string]struct {
		law  control.Controller
		last *learnt.Lesson
	}{
		"nothing":   {control.NewFixed(7), nil},
		"not found": {control.NewFixed(7), &learnt.Lesson{Limit: 20, Rate: 100}},
		"latency":   {latencies{control.NewFixed(7)}, &learnt.Lesson{Limit: 20, Rate: 100, Found: true}},
	} {
		if d := learnt.NewLaw(c.law, 2, c.last).Next(reading(0, 20, 100)); d.Limit != 7 {
			t.Errorf("%s: %+v", name, d)
		}
	}
}

type latencies struct{ control.Controller }

func (latencies) LateAfter() time.Duration { return time.Second }

// script always makes the same decision.
type script struct{ control.Decision }

func (s *script) Next(control.Reading) control.Decision { return s.Decision }

// The limit that stands is learnt, with the throughput while units wait, once it has stood.
func TestLawLearns(t *testing.T) {
	inside := &script{control.Decision{Limit: 8}}
	law := learnt.NewLaw(inside, 2, nil)
	r := reading(0, 8, 0)
	// work lets a second pass in which units wait for a share of the time.
	work := func(limit int, rate, waits float64) {
		for range 100 {
			r.At += tick
			r.Limit = limit
			r.Units += 3 * rate * tick.Seconds()
			r.Bound += waits * tick.Seconds()
			r.Completed = int64(r.Units / 3)
			law.Next(r)
		}
	}
	law.Next(r)
	work(8, 50, 0)
	if l := law.Learnt(); l.Limit != 0 {
		t.Errorf("nothing waits, and it has learnt %+v", l)
	}
	work(8, 100, 1)
	work(8, 100, 1)
	want := func(limit int, rate float64, found bool) {
		t.Helper()
		if l := law.Learnt(); l.Limit != limit || math.Abs(l.Rate-3*rate) > rate || math.Abs(l.Weight-3) > 0.2 || l.Found != found {
			t.Errorf("learnt %+v, want %d at %g/s of weight 3, found: %v", l, limit, rate, found)
		}
	}
	want(8, 100, false)
	// An experiment that does not pay leaves it where it is.
	inside.Decision = control.Decision{Limit: 16, Experiment: true, Reason: control.Reason{Kind: control.Probe, From: 8, To: 16, Gain: math.NaN()}}
	work(16, 100, 1)
	inside.Decision = control.Decision{Limit: 8, Reason: control.Reason{Kind: control.Stay, From: 8, To: 16}}
	work(8, 100, 1)
	want(8, 100, true)
	// One that pays counts once it has stood.
	inside.Decision = control.Decision{Limit: 16, Reason: control.Reason{Kind: control.Grow, From: 8, To: 16, Gain: 1}}
	work(16, 180, 1)
	want(8, 100, true)
	inside.Decision = control.Decision{Limit: 16}
	work(16, 180, 1)
	want(16, 180, true)
	if law.Due() {
		t.Error("due after seven seconds")
	}
	for range 5 {
		work(16, 180, 1)
	}
	if !law.Due() || law.Due() {
		t.Error("want it due once after ten seconds")
	}
	// What somebody has set is not learnt.
	r.Min, r.Max = 3, 3
	inside.Decision.Limit = 3
	work(3, 30, 1)
	work(3, 30, 1)
	want(16, 180, true)
}

// What is learnt is news once, and what happens while nothing waits is none.
func TestLawTellsNewsOnce(t *testing.T) {
	inside := &script{control.Decision{Limit: 8}}
	law := learnt.NewLaw(inside, 2, nil)
	r := reading(0, 8, 0)
	work := func(seconds int, waits float64) {
		for range seconds * 100 {
			r.At += tick
			r.Units += 100 * tick.Seconds()
			r.Bound += waits * tick.Seconds()
			r.Completed = int64(r.Units)
			law.Next(r)
		}
	}
	want := func(what string, is bool) {
		t.Helper()
		if now, got := law.News(); got != is || is && now != law.Learnt() {
			t.Errorf("%s: news of %+v: %v, want %v", what, now, got, is)
		}
	}
	work(2, 0)
	want("nothing waits", false)
	work(2, 1)
	want("units wait", true)
	want("asked again", false)
	work(70, 0)
	want("nothing waits any more", false)
	inside.Reason = control.Reason{Kind: control.Stay, From: 8, To: 16}
	work(1, 0)
	want("the search ends", true)
	work(1, 0)
	want("it ends once more", false)
}

// A bound on p99 that the law inside has is seen from outside.
func TestLawTellsWhatIsLate(t *testing.T) {
	bound := control.NewOverload(control.NewObjective(control.NewSearch(), 30*time.Millisecond))
	if l := learnt.NewLaw(bound, 4, nil); l.LateAfter() != 30*time.Millisecond {
		t.Errorf("late after %v, want 30ms", l.LateAfter())
	}
	if l := learnt.NewLaw(control.NewSearch(), 4, nil); l.LateAfter() != 0 {
		t.Errorf("late after %v, want 0", l.LateAfter())
	}
}

// A law may ask for more than is allowed; what stands is what is allowed.
func TestLawLearnsAtABound(t *testing.T) {
	law := learnt.NewLaw(control.NewStep(90), 2, nil)
	limit := 64
	for at := time.Duration(0); at < 10*time.Second; at += 10 * time.Millisecond {
		r := reading(at, limit, 100)
		r.Max, r.CPUs = 64, 4
		limit = min(law.Next(r).Limit, r.Max)
	}
	if l := law.Learnt(); l.Limit != 64 {
		t.Errorf("%+v, want a limit of 64", l)
	}
}

// A limit that is on trial because work was refused is not remembered.
func TestLawDoesNotLearnATrial(t *testing.T) {
	law := learnt.NewLaw(control.NewOverload(control.NewFixed(64)), 2, nil)
	r := control.Reading{Min: 1, Max: 1000, Limit: 64, InFlight: 64, CPUs: 4}
	tried := time.Duration(0)
	for tried < 2*time.Second && r.At < time.Minute { // 30 % are refused at any limit
		r.At += 10 * time.Millisecond
		r.Bound += 0.01
		r.Completed += int64(r.Limit * 7 / 10)
		r.Units = float64(r.Completed)
		r.Overloads += int64(r.Limit * 3 / 10)
		r.Limit = law.Next(r).Limit
		if r.InFlight = r.Limit; r.Limit < 64 {
			tried += 10 * time.Millisecond
		}
		if l := law.Learnt(); l.Limit != 0 && l.Limit != 64 {
			t.Fatalf("%v: %+v, want a limit of 64", r.At, l)
		}
	}
	if tried == 0 {
		t.Error("nothing was tried")
	}
}
