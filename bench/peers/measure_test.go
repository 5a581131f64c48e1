package main_test

import (
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	peers "github.com/sweetspot-go/sweetspot/bench/peers"
)

// The first run remembers nothing and stands alone; what is made ready and
// checked does not count.
func TestMeasure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runs := 0
		r, err := peers.Measure(
			func() { time.Sleep(time.Second) },
			func() error {
				runs++
				if runs == 1 {
					time.Sleep(30 * time.Millisecond)
				} else {
					time.Sleep(time.Duration(runs) * time.Millisecond)
				}
				return nil
			},
			func() error {
				time.Sleep(time.Second)
				return nil
			}, nil, false)
		if err != nil || r.First != 30e6 || r.NS != 2e6 || r.Runs != 2 {
			t.Errorf("%+v, %v: want a first run of 30 ms, then one of 2 ms", r, err)
		}
	})
}

func TestMeasureTakesTheMedian(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runs := 0
		r, err := peers.Measure(nil, func() error {
			runs++
			time.Sleep([]time.Duration{9, 1, 2, 30}[runs%4] * time.Microsecond)
			return nil
		}, nil, nil, false)
		// Runs 2 to 15 take 2, 30, 9, 1, ... µs.
		if err != nil || r.Runs != 15 || r.First != 1e3 || r.NS != 5.5e3 {
			t.Errorf("%+v, %v: want 15 runs, the first of 1 µs, the median of the others 5.5 µs", r, err)
		}
	})
}

func TestMeasureOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, err := peers.Measure(nil, func() error {
			time.Sleep(time.Microsecond)
			return nil
		}, nil, nil, true)
		if err != nil || r.Runs != 1 || r.NS != 1e3 || r.First != 1e3 {
			t.Errorf("%+v, %v: want one run of 1 µs", r, err)
		}
	})
}

func TestMeasureCountsAllocations(t *testing.T) {
	var kept [][]byte
	r, err := peers.Measure(func() { kept = make([][]byte, 0, 100) }, func() error {
		for range 100 {
			kept = append(kept, make([]byte, 64))
		}
		return nil
	}, nil, nil, false)
	if err != nil || r.Mallocs < 100 || r.Mallocs > 150 {
		t.Errorf("%v allocations, %v: want 100 and a few of the runtime", r.Mallocs, err)
	}
}

func TestMeasureInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sleeping := func(d time.Duration) func() error {
			return func() error {
				time.Sleep(d)
				return nil
			}
		}
		r, err := peers.Measure(nil, sleeping(3*time.Microsecond), nil, sleeping(2*time.Microsecond), false)
		if err != nil || r.NS != 3e3 || r.Loop != 2e3 {
			t.Errorf("%+v, %v: want 3 µs beside a loop of 2 µs", r, err)
		}
	})
}

func TestMeasureFails(t *testing.T) {
	bad, fine := errors.New("bad"), func() error { return nil }
	fails := func() error { return bad }
	for _, c := range []struct {
		name             string
		run, check, loop func() error
	}{
		{"run", fails, nil, nil},
		{"check", fine, fails, nil},
		{"run in turn", fails, nil, fine},
		{"loop", fine, nil, fails},
	} {
		if _, err := peers.Measure(nil, c.run, c.check, c.loop, false); !errors.Is(err, bad) {
			t.Errorf("%s fails: error %v, want %v", c.name, err, bad)
		}
	}
}

func TestHalves(t *testing.T) {
	for n := 1; n <= 5; n++ {
		ran := make([]atomic.Int64, n)
		if err := peers.Halves(n, func(part int) { ran[part].Add(1) }); err != nil {
			t.Error(err)
		}
		for part := range ran {
			if ran[part].Load() != 1 {
				t.Errorf("part %d of %d ran %d times, want once", part, n, ran[part].Load())
			}
		}
	}
}

func TestDisturbing(t *testing.T) {
	for _, c := range []struct {
		others float64
		took   time.Duration
		want   bool
	}{
		{0.01, 20 * time.Millisecond, false}, // a tick proves nothing
		{0.02, 20 * time.Millisecond, true},
		{0.06, time.Second, false},
		{0.08, time.Second, true},
	} {
		if got := peers.Disturbing(c.others, c.took); got != c.want {
			t.Errorf("%v CPU seconds in %v: %v, want %v", c.others, c.took, got, c.want)
		}
	}
}
