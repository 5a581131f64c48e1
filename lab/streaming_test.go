package lab_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
	"github.com/sweetspot-go/sweetspot/lab"
)

// The sizes are the article's, and so is the memory at its size.
func TestMemoryTasks(t *testing.T) {
	t.Setenv("GOMEMLIMIT", "off")
	if env, _ := lab.MemoryEnv("full"); len(env[0]) > 0 {
		t.Errorf("the limit is %v, want the user's", env[0])
	}
	t.Setenv("GOMEMLIMIT", "")
	env, sizes := lab.MemoryEnv("article")
	if !slices.Equal(sizes, []int{4_096_000, 409_600, 40_960}) {
		t.Errorf("blocks of %v", sizes)
	}
	for _, e := range env {
		if !slices.Equal(e, []string{"GOMEMLIMIT=3221225472"}) {
			t.Errorf("the limit is %v, want 3 GiB", e)
		}
	}
	if env, _ := lab.MemoryEnv("quick"); env[0][0] != "GOMEMLIMIT=100663296" {
		t.Errorf("the limit is %v, want 96 MiB", env[0])
	}
	const gib = 1 << 30
	for _, c := range []struct {
		size           int
		scale          string
		limit, machine int64
		want           []int
	}{
		{40_960, "article", 3 * gib, 64 * gib, []int{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096}},
		{4_096_000, "article", 3 * gib, 64 * gib, []int{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048}},
		{4_096_000, "article", 3 * gib, 2 * gib, []int{1, 2, 4, 8, 16, 32, 64, 128, 256}}, // half of a small machine
		{4_096_000, "full", 3 * gib / 32, 0, []int{1, 2, 4, 8, 16, 32, 64}},
		{4_096_000, "quick", 3 * gib / 32, 64 * gib, []int{1, 2, 4, 16, 64}},
		{40_960, "quick", 3 * gib / 32, 64 * gib, []int{1, 2, 4, 16, 64, 256, 1024, 4096}},
		{4_096_000, "quick", 1 << 20, 64 * gib, []int{1, 2}}, // nothing fits
	} {
		if got := lab.MemoryNumbers(c.size, c.scale, c.limit, c.machine); !slices.Equal(got, c.want) {
			t.Errorf("%d B at %s under %d on %d: %v, want %v", c.size, c.scale, c.limit, c.machine, got, c.want)
		}
	}
	most, tried := lab.MemoryMost()
	for i, n := range most {
		if n < 1 || n > tried {
			t.Errorf("the article's law may go to %d blocks of %d B, want no more than %d", n, sizes[i], tried)
		}
	}
	for _, size := range append(sizes, 1, 63, 64, 65) {
		if err := lab.Block(size); err != nil {
			t.Error(err)
		}
	}
}

// Each governor lets all units in once.
func TestStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		times := map[int64]int{} // that the unit of a number was done
		all, err := lab.StreamBy(func(i int64) error {
			mu.Lock()
			times[i]++
			mu.Unlock()
			time.Sleep(25 * time.Millisecond)
			return nil
		}, 500*time.Millisecond)
		if err != nil {
			t.Fatal(err)
		}
		if times[0] != len(all) {
			t.Errorf("%d streams begin with unit 0, want %d", times[0], len(all))
		}
		for i, n := range times {
			if i > 0 && n > times[i-1] {
				t.Errorf("unit %d was done %d times, and the one before %d times", i, n, times[i-1])
			}
		}
		law, ours := lab.GovernorNames()
		for _, name := range []string{law, ours} {
			s := all[name]
			if !(s.Rate > 0) || !(s.Mean >= 1) || !(s.Median >= 1) {
				t.Errorf("%s: %+v", name, s)
			}
			goals := 0
			for _, x := range s.Series {
				if x.Panel != "test" || x.Label != name || len(x.Times) != len(x.Values) || !slices.IsSorted(x.Times) || x.Ours != (name == ours) {
					t.Errorf("%s: a series is %+v", name, x)
				}
				if x.Goal {
					goals++
				}
			}
			if want := 4; name == law && (len(s.Series) != want || goals != 1) {
				t.Errorf("%s: %d series, %d of them goals, want %d and 1", name, len(s.Series), goals, want)
			}
			if name == ours && (len(s.Series) != 3 || goals != 0) {
				t.Errorf("%s: %d series, %d of them goals, want 3 and none", name, len(s.Series), goals)
			}
		}
	})
}

func TestFixedStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int64
		all, err := lab.StreamBy(func(i int64) error {
			if i == 0 {
				most.Store(0) // of the last stream, which is that of the fixed number
			}
			at := now.Add(1)
			defer now.Add(-1)
			for m := most.Load(); at > m && !most.CompareAndSwap(m, at); m = most.Load() {
			}
			time.Sleep(25 * time.Millisecond)
			return nil
		}, 500*time.Millisecond, 3)
		if err != nil {
			t.Fatal(err)
		}
		if s := all["fixed number"]; s.Mean < 2.99 || s.Mean > 3.01 || s.Median != 3 || most.Load() != 3 {
			t.Errorf("a fixed number of 3 lets %d in at a time, and has the limit %+v", most.Load(), s)
		}
	})
}

// A finite stream does its units and no more, however long that takes.
func TestFiniteStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sum, n atomic.Int64
		all, err := lab.StreamCounted(func(i int64) error {
			sum.Add(i)
			n.Add(1)
			time.Sleep(13 * time.Second) // two at a time longer than any sample may
			return nil
		}, 50)
		if err != nil || n.Load() != 4*50 || sum.Load() != 4*49*50/2 {
			t.Fatalf("%d units with the sum %d, %v", n.Load(), sum.Load(), err)
		}
		for name, s := range all {
			if !(s.Rate > 0) || !(s.Mean >= 1) || !(s.Median >= 1) {
				t.Errorf("%s: %+v", name, s)
			}
		}
	})
	broken := errors.New("it is broken")
	if _, err := lab.StreamCounted(func(int64) error { return broken }, 50); !errors.Is(err, broken) {
		t.Errorf("error %v, want that of the unit", err)
	}
}

func TestStreamFails(t *testing.T) {
	broken := errors.New("it is broken")
	_, err := lab.StreamBy(func(i int64) error {
		if i == 5 {
			return broken
		}
		return nil
	}, time.Hour)
	if !errors.Is(err, broken) {
		t.Errorf("error %v, want that of the unit", err)
	}
}

// A stream lasts until a unit has ended, be that late.
func TestStreamOfSlowUnits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all, err := lab.StreamBy(func(int64) error { time.Sleep(time.Second); return nil }, time.Millisecond, 1)
		if err != nil {
			t.Fatal(err)
		}
		if s := all["fixed number"]; s.Rate != 1 || s.Mean != 1 || s.Median != 1 {
			t.Errorf("one at a time, of a second each: %+v", s)
		}
	})
}

func TestLimitsOverTime(t *testing.T) {
	for _, c := range []struct {
		at           []float64
		limits       []int
		mean, median float64
	}{
		{[]float64{0}, []int{7}, 7, 7},
		{[]float64{0, 5}, []int{2, 4}, 3, 2},
		{[]float64{0, 1, 2, 9}, []int{100, 3, 5, 1}, (100 + 3 + 35 + 1) / 10.0, 5},
		{[]float64{0, 4}, []int{10, 1}, 4.6, 1},
		{[]float64{0, 4, 11}, []int{10, 1, 9}, 4.6, 1}, // the last look was late
	} {
		mean, median := lab.Limits(10, c.at, c.limits)
		if !lab.Same(mean, c.mean) || median != c.median {
			t.Errorf("%v at %v: mean %g, median %g, want %g and %g", c.limits, c.at, mean, median, c.mean, c.median)
		}
	}
	for v, want := range map[float64]float64{0: 0, 1.23456: 1.235, -98765: -98770, 0.000123456: 0.0001235} {
		if got := lab.Rounded(v); !lab.Same(got, want) && got != want {
			t.Errorf("%g is rounded to %g, want %g", v, got, want)
		}
	}
}

func TestSearchUnits(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := lab.SearchIn(dir, false, nil); err == nil || !strings.Contains(err.Error(), "there is no file in") {
		t.Errorf("an empty tree: %v", err)
	}
	write("a.txt", "one "+lab.Sought+"\nnothing\n"+lab.Sought+lab.Sought+"\n")
	write("b.txt", "none\n")
	for _, scanned := range []bool{false, true} {
		if err := lab.SearchIn(dir, scanned, nil); err != nil {
			t.Errorf("scanned %v: %v", scanned, err)
		}
	}
	// A search that finds another number of lines than are there is found out.
	err := lab.SearchIn(dir, false, func() { write("a.txt", "nothing\n") })
	if err == nil || !strings.Contains(err.Error(), "0 lines with") {
		t.Errorf("a file with other lines: %v", err)
	}
}

func TestNoGo(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := lab.GoSources(); err == nil || !strings.Contains(err.Error(), "is Go installed?") {
		t.Errorf("without Go: %v", err)
	}
}

// In simulation the article's law fails as it reports, and ours does not.
func TestSimulatedFailures(t *testing.T) {
	rerun.Serial(t)
	for _, c := range []struct {
		name  string
		fails func(score, limit float64) bool
	}{
		{"ceiling", func(_, limit float64) bool { return limit > 5 }},
		{"plateau", func(score, _ float64) bool { return score < 0.8 }},
		{"mixed", func(score, _ float64) bool { return score < 0.9 }},
	} {
		ourScore, ourLimit, score, limit, err := lab.Simulate(c.name)
		switch {
		case err != nil:
			t.Error(err)
		case !c.fails(score, limit):
			t.Errorf("%s: the article's law has the score %g and %g x the best number", c.name, score, limit)
		case c.fails(ourScore, ourLimit):
			t.Errorf("%s: ours has the score %g and %g x the best number", c.name, ourScore, ourLimit)
		}
	}
}

// What several experiments show is measured once: a measurement that E8 to E10 name
// is one of E6 or E7, but for parameters and simulations.
func TestStreamsAreShared(t *testing.T) {
	for _, scale := range lab.Scales {
		measured := map[string]bool{}
		for _, id := range []string{"E6", "E7"} {
			for name, from := range lab.PointNames(id, scale) {
				if from == "" {
					t.Errorf("%s: %s is not shared", id, name)
				}
				measured[from] = true
			}
		}
		for _, id := range []string{"E8", "E9", "E10"} {
			for name, from := range lab.PointNames(id, scale) {
				if !measured[from] && !strings.HasPrefix(from, "simulated ") && !strings.Contains(from, ", gain ") && !isVariant(from) {
					t.Errorf("%s at %s: %s (%s) is measured for itself", id, scale, name, from)
				}
			}
		}
	}
}

func isVariant(from string) bool {
	return slices.ContainsFunc(lab.VariantNames(), func(name string) bool { return strings.HasSuffix(from, name) })
}

func TestSharedSamples(t *testing.T) {
	t.Cleanup(lab.OnlySharers())
	f, err := lab.Runner{Rounds: 3}.Measure(context.Background(), "V1", "V2", "V3", "V4", "V5")
	if err != nil {
		t.Fatal(err)
	}
	v1, v2, v3, v4, v5 := f.Experiments[0], f.Experiments[1], f.Experiments[2], f.Experiments[3], f.Experiments[4]
	if v1.Error != "" || v2.Error != "" || v3.Error != "" {
		t.Fatalf("%s, %s, %s", v1.Error, v2.Error, v3.Error)
	}
	if v1.Rounds != 2 || v2.Rounds != 2 || v3.Rounds != 0 || len(v1.Points[0].Samples) != 2 || len(v3.Points[0].Samples) != 3 {
		t.Errorf("rounds %d, %d, %d; samples %v, %v", v1.Rounds, v2.Rounds, v3.Rounds, v1.Points[0].Samples, v3.Points[0].Samples)
	}
	one, half, per, two, shown := v1.Points[0], v1.Points[1], v1.Points[2], v2.Points[0], v2.Points[1]
	for i := range one.Samples {
		if shown.Samples[i] != one.Samples[i] || !lab.Same(half.Samples[i], one.Samples[i]/2) || !lab.Same(per.Samples[i], two.Samples[i]/one.Samples[i]) || one.Samples[i] == two.Samples[i] {
			t.Errorf("round %d: %v, half %v, shown %v; %v, by the first %v", i+1, one.Samples[i], half.Samples[i], shown.Samples[i], two.Samples[i], per.Samples[i])
		}
	}
	if len(v1.Series) != 0 || len(v2.Series) != 1 || v2.Series[0].Values[0] != shown.Samples[1] {
		t.Errorf("series %v and %v", v1.Series, v2.Series)
	}
	if !strings.Contains(v4.Error, "third/0: its run shows no third") {
		t.Errorf("error %q, want that there is no third", v4.Error)
	}
	if !strings.Contains(v5.Error, "per/0: a, which it is compared with, was not measured") {
		t.Errorf("error %q, want that a was not measured", v5.Error)
	}
}

// Points are measured in as many rounds as they want, be that fewer or more than the run's,
// and show that many samples also where another shows more of the same. By hand, all have
// the same number.
func TestRoundsOfPoints(t *testing.T) {
	t.Cleanup(lab.OnlySharers())
	for _, c := range []struct {
		forAll bool
		want   map[string]int
		rounds []int // of the experiments, where those are not the run's
	}{
		{false, map[string]int{"V1/one": 2, "V1/half": 2, "V1/per": 2, "V3/three": 3, "V6/one": 7, "V6/half": 7, "V6/three": 3}, []int{2, 2, 0, 0}},
		{true, map[string]int{"V1/one": 3, "V1/half": 3, "V1/per": 3, "V3/three": 3, "V6/one": 3, "V6/half": 3, "V6/three": 3}, []int{0, 0, 0, 0}},
	} {
		f, err := lab.Runner{Rounds: 3, ForAll: c.forAll}.Measure(t.Context(), "V1", "V2", "V3", "V6")
		if err != nil {
			t.Fatal(err)
		}
		samples := map[string][]float64{}
		for i, e := range f.Experiments {
			if e.Error != "" || e.Rounds != c.rounds[i] {
				t.Errorf("for all %v: %s has the rounds %d, want %d, %s", c.forAll, e.ID, e.Rounds, c.rounds[i], e.Error)
			}
			for _, p := range e.Points {
				samples[e.ID+"/"+p.Label] = p.Samples
			}
		}
		for name, want := range c.want {
			if len(samples[name]) != want {
				t.Errorf("for all %v: %s has %d samples, want %d", c.forAll, name, len(samples[name]), want)
			}
		}
		if f.Run.Rounds != 3 || !slices.Equal(samples["V6/one"][:2], samples["V1/one"][:2]) {
			t.Errorf("for all %v: %d rounds; %v and %v are not of the same", c.forAll, f.Run.Rounds, samples["V6/one"], samples["V1/one"])
		}
	}
}
