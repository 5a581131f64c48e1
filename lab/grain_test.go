package lab_test

import (
	"context"
	"errors"
	"maps"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/lab"
	"github.com/sweetspot-go/sweetspot/lab/figures"
)

func TestGrainSizes(t *testing.T) {
	for _, id := range []string{"D1", "D2", "D3", "D6"} {
		if _, article := lab.SizesInWords(id); article != "1,000 runs" {
			t.Errorf("%s has %s at the article's size, want 1,000 runs", id, article)
		}
	}
	for _, id := range []string{"D4", "D5"} { // 4^0 + … + 4^9
		if full, article := lab.SizesInWords(id); full != "349,525 nodes" || article != full {
			t.Errorf("%s has %s, and %s at the article's size, want 349,525", id, full, article)
		}
	}
}

func TestRecursions(t *testing.T) {
	calls := 0
	var count func(i int)
	count = func(i int) {
		if i < 2 {
			return
		}
		calls++
		count(i - 1)
		count(i - 2)
	}
	count(lab.FibOf)
	if calls != lab.FibCalls {
		t.Errorf("fib(%d) has %d calls with halves, want %d", lab.FibOf, lab.FibCalls, calls)
	}
	for i := range 15 {
		want := lab.Slow(i)
		if a, b := lab.Parallel1(i), lab.Parallel2(i); a != want || b != want {
			t.Errorf("fib(%d) is %d and %d, want %d", i, a, b, want)
		}
	}
	if err := lab.DoAll("D1", quick, 2); err != nil {
		t.Error(err)
	}
	if err := lab.CheckFib(func(int) int { return 5 }); err == nil {
		t.Error("a wrong number passed")
	}
}

func TestStandardDeviation(t *testing.T) {
	if got := lab.StandardDeviation([]float64{2, 4, 4, 4, 5, 5, 7, 9}); math.Abs(got-2) > 1e-9 {
		t.Errorf("%g, want 2", got)
	}
}

func TestRecursionVerdicts(t *testing.T) {
	for _, e := range []string{"D2", "D3"} {
		for _, s := range []string{quick, full} {
			v := judged(t, e, s, 2, map[string]float64{"Parallel1": 600e6, "Parallel2": 200e6, "Slow": 1e6})
			if v.Effect != figures.Shows || !strings.Contains(v.Words, "the time of Slow") {
				t.Errorf("%s: %+v", e, v)
			}
			if e == "D3" && !strings.Contains(v.Words, "3.00 x") {
				t.Errorf("D3 at %s: %s", s, v.Words)
			}
			if v := judged(t, e, s, 2, nil); v.Effect == figures.Shows {
				t.Errorf("%s holds where nothing is slower: %+v", e, v)
			}
		}
	}
	if v := judged(t, "D1", quick, 2, map[string]float64{"Slow": 2e6, "Slow, standard deviation": 3e3}); v.Effect != figures.Baseline || !strings.Contains(v.Words, "2.00 ms a run") || !strings.Contains(v.Words, "deviation 3.01 µs") {
		t.Errorf("D1: %+v", v)
	}
}

func TestMarkWork(t *testing.T) {
	for _, s := range lab.Scales {
		for id, n := range map[string]int{"D4": 2500, "D5": 2500} {
			if err := lab.DoAll(id, s, n); err != nil {
				t.Error(err)
			}
		}
	}
	if err := lab.DoAll("D4", quick, 1); err != nil { // every graph has a root
		t.Error(err)
	}
}

func TestTree(t *testing.T) {
	g := lab.GraphOf(349_525, 0)
	height, leaves := 0, 0
	for v := range g.Serially() {
		height = max(height, len(v))
		if len(g.Next(v)) == 0 {
			leaves++
		}
	}
	if height != 9 || leaves != 1<<18 {
		t.Errorf("height %d with %d leaves, want 9 with 4^9", height, leaves)
	}
}

func TestGraphs(t *testing.T) {
	for _, nodes := range []int{1, 2, 4, 5, 6, 21, 100, 1000} {
		for _, again := range []int{0, 3} {
			g := lab.GraphOf(nodes, again)
			places := make([]bool, nodes)
			edges := 0
			serial := g.Serially()
			for v := range serial {
				at := g.Place(v)
				if places[at] {
					t.Fatalf("place %d twice", at)
				}
				places[at] = true
				edges += len(g.Next(v))
			}
			if want := nodes - 1 + again*nodes; len(serial) != nodes || edges != want {
				t.Errorf("%d nodes and %d edges, want %d and %d", len(serial), edges, nodes, want)
			}
			if each := g.Each(); !maps.Equal(each, serial) {
				t.Errorf("a goroutine per node finds %d nodes, want %d", len(each), len(serial))
			}
			marks, err := g.Walk()
			if err != nil {
				t.Fatal(err)
			}
			for at, m := range marks {
				if m != 1 {
					t.Errorf("Walk visited place %d %d times", at, m)
				}
			}
		}
	}
}

func TestWrongSetsAreRefused(t *testing.T) {
	seen := lab.GraphOf(19, 0).Serially()
	if err := lab.CheckMark(20, seen); err == nil || !strings.Contains(err.Error(), "found 19 nodes, want 20") {
		t.Errorf("too few: %v", err)
	}
	seen["dddd"] = struct{}{}
	if err := lab.CheckMark(20, seen); err == nil || !strings.Contains(err.Error(), "not a node") {
		t.Errorf("wrong: %v", err)
	}
}

func TestMarkVerdict(t *testing.T) {
	given := map[string]float64{
		"tree, goroutine per node": 8, "seen, goroutine per node": 15, "CPU, goroutine per node/1": 2,
		"CPU, serial/10": 2, "CPU, serial/100": 3, "wait, serial": 20, "tree, Walk": 0.5, "tree, Walk with SizeHint": 0.25,
	}
	v := judged(t, "D4", quick, 4, given)
	if v.Effect != figures.Shows || !strings.Contains(v.Words, "from 10 µs of CPU a node on") {
		t.Errorf("%+v", v)
	}
	if v.Ours == nil || v.Ours.Low < 1.9 || v.Ours.Best != "tree, serial" {
		t.Errorf("ours is %+v, want twice as good as serial on the tree", v.Ours)
	}
	if !strings.HasSuffix(v.Words, ", and for nodes that wait") || !strings.Contains(v.Notes[2], "it is 20.0 x (") || !strings.Contains(v.Notes[1], "10 µs of CPU it is 2.00 x") {
		t.Errorf("%s; notes: %q", v.Words, v.Notes)
	}
	if len(v.Notes) != 9 || !strings.Contains(v.Notes[3], "SizeHint 4.00") || !strings.Contains(v.Notes[7], "goroutine per node") {
		t.Errorf("notes: %q", v.Notes)
	}
	if v := judged(t, "D4", full, 1, nil); v.Effect == figures.Shows || !strings.Contains(v.Words, "does not clearly pay") || strings.Contains(v.Words, "wait") || !strings.Contains(v.Notes[1], "1 CPU.") {
		t.Errorf("where nothing differs: %+v", v)
	}
	if v := judged(t, "D4", quick, 4, map[string]float64{"wait, serial": 20}); !strings.HasSuffix(v.Words, "for nodes that compute, but it does for nodes that wait") {
		t.Errorf("where it pays to wait alone: %+v", v)
	}
	given["CPU, serial/10"], given["CPU, serial/1"] = 0.9, 5 // that it pays for 1 µs must be an accident
	if v := judged(t, "D4", quick, 4, given); !strings.Contains(v.Words, "from 100 µs of CPU a node on") {
		t.Errorf("%+v", v)
	}
	if v := judged(t, "D5", quick, 2, map[string]float64{"serial": 300, "Walk": 100}); v.Effect != figures.Baseline || v.Ours.Low < 2.9 || !strings.Contains(v.Words, "ns a node") {
		t.Errorf("D5: %+v", v)
	}
}

func TestRunsWork(t *testing.T) {
	if err := lab.DoAll("D6", quick, 5); err != nil {
		t.Error(err)
	}
}

func TestRunsUnderATimeLimit(t *testing.T) {
	const n = 20
	for name, all := range lab.WaysToRun {
		cancelled, cancel := context.WithCancel(context.Background())
		cancel()
		did := lab.NewRuns(n)
		if err := all(cancelled, n, did.Run); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want that it was cancelled", name, err)
		}
		if done, err := did.Settle(); done != 0 || err != nil {
			t.Errorf("%s: %d runs are done of none that may begin, %v", name, done, err)
		}

		// The tenth run ends the time of the others.
		ctx, stop := context.WithCancelCause(context.Background())
		did = lab.NewRuns(n)
		over := errors.New("time is over")
		err := all(ctx, n, func(ctx context.Context, i int) error {
			if i == 9 {
				stop(over)
			}
			return did.Run(ctx, i)
		})
		if !errors.Is(err, over) {
			t.Errorf("%s: %v, want that time is over", name, err)
		}
		if done, err := did.Settle(); done == n || err != nil {
			t.Errorf("%s: %d of %d runs are done, %v", name, done, n, err)
		}
	}
}

func TestRunsWithTwoEndsAreRefused(t *testing.T) {
	did := lab.NewRuns(2)
	for range 2 {
		if err := did.Run(context.Background(), 1); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := did.Settle(); err == nil || !strings.Contains(err.Error(), "run 1 was done 2 times") {
		t.Errorf("got %v", err)
	}
}

func TestBoundedVerdict(t *testing.T) {
	v := judged(t, "D6", quick, 2, map[string]float64{"one by one": 2, "all at once": 1.1, "ForEach": 0.5})
	if v.Effect != figures.Shows || v.Ours == nil || v.Ours.Label != "ForEach" || v.Ours.Low < 1.9 || !strings.HasPrefix(v.Words, "all at once gains nothing: ") || !strings.Contains(v.Notes[1], "of 30 runs and ended 1.00 ms late, and ForEach ") {
		t.Errorf("%+v, ours %+v", v, v.Ours)
	}
	if v := judged(t, "D6", quick, 2, map[string]float64{"semaphore": 1.5}); v.Effect == figures.Shows || !strings.HasPrefix(v.Words, "all at once is faster: ") {
		t.Errorf("where the semaphore is slower: %+v", v)
	}
}

// What is done after the deadline does not count.
func TestRunsAfterTheDeadlineDoNotCount(t *testing.T) {
	did := lab.NewRuns(3)
	past, cancel := context.WithDeadline(context.Background(), time.Now().Add(time.Hour))
	defer cancel()
	if err := did.Run(past, 0); err != nil {
		t.Fatal(err)
	}
	if err := did.Run(lateContext{past}, 1); err != nil {
		t.Fatal(err)
	}
	if done, err := did.Settle(); done != 2 || did.InTime() != 1 || err != nil {
		t.Errorf("%d runs are done, %d in time, %v; want 2 and 1", done, did.InTime(), err)
	}
}

// lateContext is past its deadline, but its timer has not run yet.
type lateContext struct{ context.Context }

func (lateContext) Deadline() (time.Time, bool) { return time.Now().Add(-time.Second), true }
