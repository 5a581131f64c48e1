package control_test

import (
	"fmt"
	"math"
	"math/cmplx"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
)

// The limit swings between two numbers, for two samples each, while the
// throughput is listened to. Here one answers the other, and the law climbs.
func ExampleNewHillClimbing() {
	h := newHill(control.NewHillClimbing(), 4)
	for range 12 {
		fmt.Print(h.r.Limit, " ")
		h.sample(func(limit int) float64 { return 1000 * float64(limit) })
	}
	fmt.Println(h.r.Limit)
	// Output: 4 4 5 5 4 4 5 5 4 4 5 5 5
}

func ExampleHillClimbing_Next() {
	c := control.NewHillClimbing()
	r := control.Reading{Limit: 4, CPUs: 4}
	d := c.Next(r)
	fmt.Println(d.Reason)
	r.At, r.Completed = d.After, 100
	d = c.Next(r)
	fmt.Println(d.Limit, d.Reason.Kind)
	r.At, r.Completed = r.At+d.After, 200
	fmt.Println(c.Next(r).Reason)
	// Output:
	// starts at 4
	// 4 none
	// 4→5: oscillates around 4.0
}

// A hill gives the law one sample after another, in which all permits are in
// use.
type hill struct {
	law     *control.HillClimbing
	r       control.Reading
	after   time.Duration
	seconds float64 // of the last sample
	busy    float64 // CPUs in use
}

func newHill(law *control.HillClimbing, limit int) *hill {
	h := &hill{law: law, r: control.Reading{Limit: limit, CPUs: float64(limit), InFlight: limit, Waiting: 1}}
	h.after = law.Next(h.r).After
	return h
}

// sample lets a sample pass at a throughput for each limit.
func (h *hill) sample(throughput func(limit int) float64) control.Decision {
	h.seconds = h.after.Seconds()
	h.r.At += h.after
	h.r.OwnCPU += h.busy * h.seconds
	h.r.Completed += int64(math.Round(throughput(h.r.Limit) * h.seconds))
	d := h.law.Next(h.r)
	h.r.Limit, h.r.InFlight, h.after = d.Limit, d.Limit, d.After
	return d
}

// The wave is 0 0 1 1, and nothing else moves before the ninth sample: then the
// samples 2 to 9 are two whole periods, with a mean limit of 8.5 and no noise.
//
// With 100,000 units a second for each unit of the limit, X = N, so the ratio is
// 1 - 0.15 and the setting rises by 0.85²·4 a second. With 1000 - 50 for each,
// X = -50·8.5/575·N, so it falls by 0.8891²·4 a second.
func TestHillClimbingManual(t *testing.T) {
	for _, c := range []struct {
		name       string
		throughput func(int) float64
		perSecond  float64
	}{
		{"linear", func(n int) float64 { return 1e5 * float64(n) }, 0.85 * 0.85 * 4},
		{"retrograde", func(n int) float64 { return 1e6 - 5e4*float64(n) }, -0.88913 * 0.88913 * 4},
		{"flat", func(int) float64 { return 1e6 }, -0.15 * 0.15 * 4},
	} {
		law := control.NewHillClimbing()
		law.Min = 1
		h := newHill(law, 8)
		for i, want := range []int{8, 9, 9, 8, 8, 9, 9, 8} { // decided by samples 1 to 8
			if h.sample(c.throughput); h.r.Limit != want || law.Setting() != 8 {
				t.Fatalf("%s: sample %d: limit %d, setting %v; want %d and 8", c.name, i+1, h.r.Limit, law.Setting(), want)
			}
		}
		h.sample(c.throughput)
		if got, want := law.Setting()-8, c.perSecond*h.seconds; math.Abs(got-want) > 1e-3*math.Abs(want) {
			t.Errorf("%s: the setting moved by %v in %v s, want %v", c.name, got, h.seconds, want)
		}
	}
}

// The law against its formulae, with noise: the Fourier sums as they are
// written, not by recurrence.
func TestHillClimbingByTheFormulae(t *testing.T) {
	law := control.NewHillClimbing()
	h := newHill(law, 8)
	var xs, ns []float64
	setting, mean, magnitudes := 8.0, 0.0, 0
	for k := 1; k <= 200; k++ {
		noise := 1 + 0.1*math.Sin(float64(k*k)) // some numbers
		at, before, n := h.r.At, h.r.Completed, h.r.Limit
		h.sample(func(limit int) float64 { return 1e6 * math.Sqrt(float64(limit)) * noise })
		seconds := (h.r.At - at).Seconds()
		xs, ns = append(xs, float64(h.r.Completed-before)/seconds), append(ns, float64(n))

		ratio, confidence := 0.0, 0.0
		if n := min(k-1, 32) / 4 * 4; n > 4 {
			X, N := wave(xs, n, 4), wave(ns, n, 4)
			beside := max(cmplx.Abs(wave(xs, n, float64(n)/(float64(n)/4+1))), cmplx.Abs(wave(xs, n, float64(n)/(float64(n)/4-1))))
			if mean == 0 {
				mean = beside
			}
			mean = 0.01*beside + 0.99*mean
			ratio = min(1, max(-1, real((X-0.15*N)/N)))
			confidence = min(1, cmplx.Abs(N)/max(beside, mean)/3)
		}
		m := ratio * confidence
		setting = max(8, setting+math.Copysign(m*m, m)*4*seconds)
		magnitude := min(20, max(1, math.Floor(0.5+6*setting*mean)))
		if magnitude > 1 {
			magnitudes++
		}
		want := int(setting)
		if k%4 >= 2 {
			want = int(setting + magnitude)
		}
		if math.Abs(law.Setting()-setting) > 1e-6 || h.r.Limit != want {
			t.Fatalf("sample %d: setting %v, limit %d; want %v and %d", k, law.Setting(), h.r.Limit, setting, want)
		}
	}
	if setting < 9 || magnitudes < 100 {
		t.Errorf("setting %v after 200 samples, %d of them with a wave: the test shows nothing", setting, magnitudes)
	}
}

// wave returns the component of a period in the last n of some samples, relative
// to their mean.
func wave(all []float64, n int, period float64) complex128 {
	var sum complex128
	mean := 0.0
	for k, x := range all[len(all)-n:] {
		sum += complex(x, 0) * cmplx.Exp(complex(0, -2*math.Pi*float64(k)/period))
		mean += x
	}
	return sum / complex(mean, 0)
}

// A sample in which (limit-1)/completions is 15 % goes on for 10 ms at a time;
// the first one does not.
func TestHillClimbingWantsEnoughCompletions(t *testing.T) {
	law := control.NewHillClimbing()
	h := newHill(law, 8)
	h.r.At += h.after
	h.r.Completed++
	if d := law.Next(h.r); d.After < 10*time.Millisecond || d.After > 200*time.Millisecond {
		t.Fatalf("asks again after %v, want the length of a sample", d.After)
	}
	for _, s := range []struct{ completed, limit int }{{40, 8}, {5, 8}, {1, 8}, {1, 9}} { // 7/46 is 15.2 %, 7/47 14.9 %
		h.r.At += 200 * time.Millisecond
		h.r.Completed += int64(s.completed)
		d := law.Next(h.r)
		if d.Limit != s.limit || d.Limit == 8 && d.After != 10*time.Millisecond {
			t.Errorf("%d more completions: limit %d, asks again after %v; want %d, and 10 ms if that is 8", s.completed, d.Limit, d.After, s.limit)
		}
	}
}

// No sample ends before the units above a lowered limit have, nor before one
// unit has.
func TestHillClimbingWaitsForUnits(t *testing.T) {
	law := control.NewHillClimbing()
	h := newHill(law, 8)
	h.r.At += time.Second
	if d := law.Next(h.r); d.After != 10*time.Millisecond {
		t.Errorf("nothing has ended: asks again after %v, want 10 ms", d.After)
	}
	h.r.Completed, h.r.InFlight = 1000, 9
	if d := law.Next(h.r); d.After != 10*time.Millisecond {
		t.Errorf("9 in flight at a limit of 8: asks again after %v, want 10 ms", d.After)
	}
	h.r.InFlight = 8
	h.r.At += 10 * time.Millisecond
	law.Next(h.r)
	if law.Setting() != 8 {
		t.Errorf("setting %v after the first sample, want 8", law.Setting())
	}
}

// Above 95 % CPU usage the setting does not rise.
func TestHillClimbingStopsAtFullCPUs(t *testing.T) {
	linear := func(n int) float64 { return 1e5 * float64(n) }
	for _, c := range []struct {
		cpus  float64
		rises bool
	}{{7.5, true}, {7.8, false}} {
		law := control.NewHillClimbing()
		h := newHill(law, 8)
		h.busy = c.cpus
		for range 40 {
			h.sample(linear)
		}
		if rises := law.Setting() > 8; rises != c.rises {
			t.Errorf("%v of 8 CPUs in use: setting %v; want a rise: %v", c.cpus, law.Setting(), c.rises)
		}
	}
}

// At the least limit, where more does harm, samples take up to ten times as
// long. At the worst they take 0.1 to 2 s.
func TestHillClimbingRestsAtTheLeastLimit(t *testing.T) {
	law := control.NewHillClimbing()
	h := newHill(law, 8)
	longest, low := time.Duration(0), 0
	for range 100 {
		h.sample(func(n int) float64 { return 1e7 / math.Pow(float64(n), 4) })
		longest = max(longest, h.after)
		if h.r.Limit == 8 {
			low++
		}
	}
	if longest <= time.Second || longest > 2001*time.Millisecond || law.Setting() != 8 || low < 40 {
		t.Errorf("samples of up to %v, setting %v, %d of 100 at the least limit", longest, law.Setting(), low)
	}
}

func TestHillClimbingSamplesByChance(t *testing.T) {
	lengths := func(seed uint64) (all []time.Duration) {
		law := control.NewHillClimbing()
		law.Seed = seed
		h := newHill(law, 4)
		for range 50 {
			h.sample(func(int) float64 { return 1e5 })
			all = append(all, h.after)
		}
		return all
	}
	a := lengths(0)
	if fmt.Sprint(a) != fmt.Sprint(lengths(0)) || fmt.Sprint(a) == fmt.Sprint(lengths(1)) {
		t.Error("the same seed must give the same lengths, and another one others")
	}
}

// Whatever sets the limit, the wave goes on around it.
func TestHillClimbingFollowsTheCaller(t *testing.T) {
	law := control.NewHillClimbing()
	h := newHill(law, 4)
	flat := func(int) float64 { return 1e5 }
	h.sample(flat)
	h.r.Limit, h.r.InFlight = 30, 30
	h.sample(flat)
	if law.Setting() != 30 {
		t.Errorf("setting %v after others set the limit to 30", law.Setting())
	}
}

func TestHillClimbingKeepsItsBounds(t *testing.T) {
	linear := func(n int) float64 { return 1e6 * float64(n) }
	for _, c := range []struct{ min, max, readingMin, readingMax, least, most int }{
		{0, 0, 0, 10, 8, 10},
		{0, 10, 0, 0, 8, 10},
		{9, 12, 1, 20, 9, 12},
		{0, 0, 9, 12, 9, 12},
		{0, 4, 0, 0, 4, 4}, // the most wins
	} {
		law := control.NewHillClimbing()
		law.Min, law.Max = c.min, c.max
		h := newHill(law, 8)
		h.r.Min, h.r.Max = c.readingMin, c.readingMax
		h.sample(linear)
		h.sample(linear)
		least, most := math.MaxInt, 0
		for range 500 {
			h.sample(linear)
			least, most = min(least, h.r.Limit), max(most, h.r.Limit)
		}
		if least != c.least || most != c.most {
			t.Errorf("%+v: limit from %d to %d", c, least, most)
		}
	}
}

// On a server that takes 16 units at a time the law finds its way there, slowly,
// and stays; the CPUs being idle.
func TestHillClimbingOnAServer(t *testing.T) {
	law := control.NewHillClimbing()
	p := &fluid{cpus: 4, rate: server(16, 5*time.Millisecond)}
	p.run(law, 4, 2*time.Second)
	if p.r.Limit > 4+2*4 {
		t.Errorf("limit %d after 2 s, want at most 4 a second", p.r.Limit)
	}
	p.run(law, 4, 60*time.Second)
	s := newSweep()
	p.see = s.see
	p.run(law, 4, 120*time.Second)
	if s.least < 13 || s.most > 20 {
		t.Errorf("limit from %d to %d in the second minute, want about 16", s.least, s.most)
	}
}
