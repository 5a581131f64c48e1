package sweetspot_test

import (
	"context"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/sense"
)

func TestRecall(t *testing.T) {
	const key = 0x12345
	if cost, limit := sweetspot.Recall(key); cost != 0 || limit != 0 {
		t.Errorf("of a function never called: %g ns, limit %d", cost, limit)
	}
	sweetspot.Remember(key, 1500, 64)
	if cost, limit := sweetspot.Recall(key); cost != 1500 || limit != 64 {
		t.Errorf("remembered %g ns, limit %d: want 1500 and 64", cost, limit)
	}
	// Others may take its place, but are never taken for it.
	for other := uintptr(1); other < 10_000; other++ {
		sweetspot.Remember(0x100000+other, 7, 7)
	}
	if cost, limit := sweetspot.Recall(key); cost != 1500 && cost != 0 || limit != 64 && limit != 0 {
		t.Errorf("remembered %g ns, limit %d of another function", cost, limit)
	}
}

// TestRecallIsSteady: two calls alike are steady, and remain so as long as the
// next one is like the last.
func TestRecallIsSteady(t *testing.T) {
	const key = 0x54321
	for _, c := range []struct {
		cost   float64
		steady bool
	}{{1000, false}, {1900, true}, {3700, true}, {8000, false}, {8000, true}, {3000, false}, {0, false}, {3000, false}} {
		if got := sweetspot.Learn(key, c.cost, 100_000); got != c.steady {
			t.Errorf("after %g ns: steady %v, want %v", c.cost, got, c.steady)
		}
		if cost, limit := sweetspot.Recall(key); cost != c.cost || limit != 100_000 {
			t.Errorf("remembered %g ns, limit %d: want %g and 100,000", cost, limit, c.cost)
		}
	}
}

// TestRecallClimbs: calls that are too short for their law double the limit, one
// after the other, as long as that pays, and come back where it did not.
func TestRecallClimbs(t *testing.T) {
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
		sweetspot.Forget()
		sweetspot.Learn(key, c.cost(start), start)
		sweetspot.Learn(key, c.cost(start), start)
		limit := start
		for i, want := range c.want {
			if limit = sweetspot.LearnBrief(key, c.items, c.took(limit), c.cost(limit), false); limit != want {
				t.Errorf("%s: after call %d the limit is %d, want %d", name, i+1, limit, want)
			}
		}
		// A call of a few items neither confirms a doubled limit nor takes it back.
		sweetspot.Learn(key, c.cost(16), 16)
		sweetspot.Learn(key, c.cost(16), 16)
		sweetspot.LearnBrief(key, c.items, c.took(16), c.cost(16), false)
		if limit = sweetspot.LearnBrief(key, 5, c.cost(16)/5, c.cost(16), false); limit != 32 {
			t.Errorf("%s: after a call of 5 items the limit is %d, want 32", name, limit)
		}
		if limit = sweetspot.LearnBrief(key, c.items, c.took(32), c.cost(32), false); limit != 64 {
			t.Errorf("%s: after that and a call as before it is %d, want 64", name, limit)
		}
		// What a law has decided counts, and then the climb begins anew.
		sweetspot.Learn(key, c.cost(start), 8)
		sweetspot.Learn(key, c.cost(start), 8)
		if limit = sweetspot.LearnBrief(key, c.items, c.took(8), c.cost(start), false); limit != 16 {
			t.Errorf("%s: after a decision for 8 and a short call the limit is %d, want 16", name, limit)
		}
	}
}

// TestCallsForesee: what two calls have found is used by the third from its
// first moment on.
func TestCallsForesee(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			opt  sweetspot.Option
			took []time.Duration
		}{
			{sweetspot.Fixed(2), []time.Duration{20*time.Millisecond + sweetspot.FirstLook, 20*time.Millisecond + sweetspot.FirstLook, 20 * time.Millisecond, 20 * time.Millisecond}},
			{sweetspot.Fixed(1), []time.Duration{40 * time.Millisecond, 40 * time.Millisecond, 40 * time.Millisecond}},
			{sweetspot.New(sweetspot.Fixed(2)), []time.Duration{20*time.Millisecond + sweetspot.FirstLook, 20*time.Millisecond + sweetspot.FirstLook, 20 * time.Millisecond}},
		} {
			sweetspot.Forget()
			for i, want := range c.took {
				began := time.Now()
				err := sweetspot.ForEach(t.Context(), make([]int, 4), func(context.Context, int) error {
					time.Sleep(10 * time.Millisecond)
					return nil
				}, c.opt)
				if took := time.Since(began); err != nil || took != want {
					t.Errorf("call %d took %v, want %v (%v)", i+1, took, want, err)
				}
			}
		}
	})
}

// TestFullCPUsAskForMore: where calls that end before their law has decided anything find
// the CPUs busy, twice the limit is tried as well, and must gain more to be kept.
// Repeated calls of 0.1 s that computed came to 32 goroutines on 2 CPUs by chance.
func TestFullCPUsAskForMore(t *testing.T) {
	const key = 0x13579
	type call struct {
		full bool
		took float64
		want int
	}
	for name, calls := range map[string][]call{
		"computes":                         {{true, 500, 4}, {true, 490, 2}, {true, 500, 2}, {true, 370, 2}},
		"by chance faster by a third":      {{true, 500, 4}, {true, 375, 2}, {true, 500, 2}},
		"as much where CPUs are idle":      {{false, 500, 4}, {false, 375, 8}, {false, 375, 4}, {false, 375, 4}},
		"waits beside others that compute": {{true, 500, 4}, {true, 250, 8}, {true, 125, 16}, {true, 125, 8}, {true, 125, 8}},
	} {
		sweetspot.Forget()
		sweetspot.Learn(key, 1000, 2)
		sweetspot.Learn(key, 1000, 2)
		for i, c := range calls {
			if got := sweetspot.LearnBrief(key, 1e6, c.took, 1000, c.full); got != c.want {
				t.Errorf("%s: after call %d, of %g ns an item, the limit is %d, want %d", name, i+1, c.took, got, c.want)
			}
		}
	}
}

func TestFull(t *testing.T) {
	for _, c := range []struct {
		own, machine float64 // CPUs
		want         bool
	}{{0, 0, false}, {1, 1, false}, {1.7, 1.7, true}, {0.2, 1.95, false}, {0.8, 1.95, true}, {2.5, 2.5, true}} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			l := sweetspot.New(sweetspot.WithSensor(sensor(func(int) sense.Sample {
				s := time.Since(began).Seconds()
				return sense.Sample{OwnCPU: 100 + c.own*s, MachineCPU: 1000 + c.machine*s, CPUs: 2}
			})))
			if l.Full() {
				t.Error("full before anything was measured")
			}
			if err := l.Acquire(t.Context()); err != nil {
				t.Fatal(err)
			}
			time.Sleep(50 * time.Millisecond)
			if got := l.Full(); got != c.want {
				t.Errorf("%g CPUs of ours and %g in all, of 2: full %v, want %v", c.own, c.machine, got, c.want)
			}
			l.Release()
		})
	}
}
