package main_test

import (
	"context"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	world "github.com/sweetspot-go/sweetspot/bench/world"
	"github.com/sweetspot-go/sweetspot/limit"
)

func TestCourse(t *testing.T) {
	ms := func(of ...time.Duration) (took []time.Duration) {
		for _, d := range of {
			took = append(took, d*time.Millisecond)
		}
		return took
	}
	c := world.Course{ms(make([]time.Duration, 98)...), ms(5, 5, 5, 5), ms(5, 9), nil}
	if c.Rate() != 26 || c.P99() != 5*time.Millisecond {
		t.Errorf("%v units/s, p99 %v; want 26, 5ms", c.Rate(), c.P99())
	}
	for p99, want := range map[time.Duration]float64{4: 0.25, 5: 0.5, 9: 0.75} {
		if got := c.Held(p99 * time.Millisecond); got != want {
			t.Errorf("%d ms hold in %v of the seconds, want %v", p99, got, want)
		}
	}
}

// A sweep finds the knee of 8 slots of 10 ms, and each p99 is measured by all four numbers
// around the best one and by MaxP99.
func TestBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slots := limit.New(8)
		report, err := world.Bounds(t.Context(), func(ctx context.Context) error {
			if err := slots.Acquire(ctx); err != nil {
				return err
			}
			defer slots.Release()
			time.Sleep(10 * time.Millisecond)
			return nil
		}, "-p99", "1.5,3", "-auto", "12s", "-fixed", "2s", "-n", "2,4,8,16,32")
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"the knee is at 8, with a p99 of 10ms", "p99 <= 15ms", "p99 <= 30ms", "held 100 % of 4 s",
			"windows of 1 s: 2 of MaxP99, after 10s, and 4 of each fixed number", "| slots | 15ms | 1.5 | ", "| slots | 30ms | 3 | "} {
			if !strings.Contains(report, want) {
				t.Errorf("%q is missing:\n%s", want, report)
			}
		}
	})
}

func TestContenders(t *testing.T) {
	for _, c := range []struct {
		p99  time.Duration
		want string
	}{{5, "[2 3]"}, {20, "[2 4 6]"}, {39, "[2 4 8 11]"}, {90, "[4 8 16]"}} {
		if got := world.Contenders(c.p99*time.Millisecond, map[int]time.Duration{2: 10 * time.Millisecond, 4: 20 * time.Millisecond, 8: 39 * time.Millisecond, 16: 80 * time.Millisecond}); got != c.want {
			t.Errorf("p99 %d ms: %s, want %s", c.p99, got, c.want)
		}
	}
}

// The best number is the quickest of those that keep the p99, and else the one that comes
// closest.
func TestBestBound(t *testing.T) {
	for _, c := range []struct {
		held [3]float64
		want float64
	}{{[3]float64{1, 0.96, 0.5}, 2}, {[3]float64{1, 1, 1}, 3}, {[3]float64{0.9, 0.8, 0.9}, 3}} {
		if got := world.BestOf(c.held); got != c.want {
			t.Errorf("%v: the best is %v, want %v", c.held, got, c.want)
		}
	}
	if got := world.TwoDigits(0.01234); math.Abs(got.Seconds()-0.012) > 1e-9 {
		t.Errorf("%v, want 12ms", got)
	}
}
