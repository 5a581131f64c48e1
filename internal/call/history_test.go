package call_test

import (
	"math"
	"testing"

	"github.com/sweetspot-go/sweetspot/internal/call"
)

func TestHistory(t *testing.T) {
	const key = 0x12345
	if cost, limit := call.Recall(key); cost != 0 || limit != 0 {
		t.Errorf("of a function never called: %g ns, limit %d", cost, limit)
	}
	call.Remember(key, 1500, 64)
	if cost, limit := call.Recall(key); cost != 1500 || limit != 64 {
		t.Errorf("remembered %g ns, limit %d: want 1500 and 64", cost, limit)
	}
	// Others may take its place, but are never taken for it.
	for other := uintptr(1); other < 10_000; other++ {
		call.Remember(0x100000+other, 7, 7)
	}
	if cost, limit := call.Recall(key); cost != 1500 && cost != 0 || limit != 64 && limit != 0 {
		t.Errorf("remembered %g ns, limit %d of another function", cost, limit)
	}
}

// TestHistoryIsSteady: two calls alike are steady, and remain so as long as the
// next one is like the last.
func TestHistoryIsSteady(t *testing.T) {
	const key = 0x54321
	for _, c := range []struct {
		cost   float64
		steady bool
	}{{1000, false}, {1900, true}, {3700, true}, {8000, false}, {8000, true}, {3000, false}, {0, false}, {3000, false}} {
		if got := call.Learn(key, c.cost, 100_000); got != c.steady {
			t.Errorf("after %g ns: steady %v, want %v", c.cost, got, c.steady)
		}
		if cost, limit := call.Recall(key); cost != c.cost || limit != 100_000 {
			t.Errorf("remembered %g ns, limit %d: want %g and 100,000", cost, limit, c.cost)
		}
	}
}

// TestHistoryClimbs: calls that are too short for their controller double the limit, one
// after the other, as long as that pays, and come back where it did not.
func TestHistoryClimbs(t *testing.T) {
	const key, start = 0x67890, 16
	// took is what an item takes of a call at a limit, ns, and cost what it costs.
	for name, c := range map[string]struct {
		items      int
		took, cost func(limit int) float64
		want       []int // the limits of the next calls
	}{
		"waits": {300,
			func(n int) float64 { return math.Ceil(300/float64(n)) * 5e6 / 300 },
			func(int) float64 { return 5e6 },
			[]int{32, 64, 128, 256, 512, 512, 512}},
		"a server for 40": {400,
			func(n int) float64 { return 5e6 / float64(min(n, 40)) },
			func(n int) float64 { return 5e6 * max(1, float64(n)/40) },
			[]int{32, 64, 128, 64, 64, 64}},
		"thrashes above 40": {400,
			func(n int) float64 { return 5e6 / float64(n) * max(1, float64(n*n)/1600) },
			func(n int) float64 { return 5e6 * max(1, float64(n*n)/1600) },
			[]int{32, 64, 32, 32, 32}},
	} {
		call.Forget()
		call.Learn(key, c.cost(start), start)
		call.Learn(key, c.cost(start), start)
		limit := start
		for i, want := range c.want {
			if limit = call.LearnBrief(key, c.items, c.took(limit), c.cost(limit), false); limit != want {
				t.Errorf("%s: after call %d the limit is %d, want %d", name, i+1, limit, want)
			}
		}
		// A call of a few items neither confirms a doubled limit nor takes it back.
		call.Learn(key, c.cost(16), 16)
		call.Learn(key, c.cost(16), 16)
		call.LearnBrief(key, c.items, c.took(16), c.cost(16), false)
		if limit = call.LearnBrief(key, 5, c.cost(16)/5, c.cost(16), false); limit != 32 {
			t.Errorf("%s: after a call of 5 items the limit is %d, want 32", name, limit)
		}
		if limit = call.LearnBrief(key, c.items, c.took(32), c.cost(32), false); limit != 64 {
			t.Errorf("%s: after that and a call as before it is %d, want 64", name, limit)
		}
		// What a controller has decided counts, and then the climb begins anew.
		call.Learn(key, c.cost(start), 8)
		call.Learn(key, c.cost(start), 8)
		if limit = call.LearnBrief(key, c.items, c.took(8), c.cost(start), false); limit != 16 {
			t.Errorf("%s: after a decision for 8 and a short call the limit is %d, want 16", name, limit)
		}
	}
}

// TestFullCPUsAskForMore: where calls that end before their controller has decided anything find
// the CPUs busy, twice the limit is tried as well, and must gain more to be kept.
// Repeated calls of 0.1 s that computed came to 32 goroutines on 2 CPUs by chance.
func TestFullCPUsAskForMore(t *testing.T) {
	const key = 0x13579
	type brief struct {
		full bool
		took float64
		want int
	}
	for name, calls := range map[string][]brief{
		"computes":                         {{true, 500, 4}, {true, 490, 2}, {true, 500, 2}, {true, 370, 2}},
		"by chance faster by a third":      {{true, 500, 4}, {true, 375, 2}, {true, 500, 2}},
		"as much where CPUs are idle":      {{false, 500, 4}, {false, 375, 8}, {false, 375, 4}, {false, 375, 4}},
		"waits beside others that compute": {{true, 500, 4}, {true, 250, 8}, {true, 125, 16}, {true, 125, 8}, {true, 125, 8}},
	} {
		call.Forget()
		call.Learn(key, 1000, 2)
		call.Learn(key, 1000, 2)
		for i, c := range calls {
			if got := call.LearnBrief(key, 1e6, c.took, 1000, c.full); got != c.want {
				t.Errorf("%s: after call %d, of %g ns an item, the limit is %d, want %d", name, i+1, c.took, got, c.want)
			}
		}
	}
}
