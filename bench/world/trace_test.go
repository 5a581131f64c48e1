package main_test

import (
	"math"
	"testing"

	world "github.com/sweetspot-go/sweetspot/bench/world"
)

func TestTrace(t *testing.T) {
	// 100 units a second at limit 2 for 2 s, then 300 at limit 8; the point at 3 s is late.
	trace := world.Trace{
		world.NewPoint(0, 0, 0, 2), world.NewPoint(1, 100, 0, 2), world.NewPoint(2, 200, 10, 2),
		world.NewPoint(3.5, 650, 50, 8), world.NewPoint(4, 800, 200, 8),
	}
	for _, c := range []struct {
		from, to, rate, limit float64
	}{
		{0, 1, 100, 2}, {0, 2, 100, 2}, {2, 4, 300, 8}, {0, 4, 200, 5}, {1, 3, 200, 5}, {2.5, 3, 300, 8}, {3, 3, 0, 0},
	} {
		if got := world.Rate(trace, c.from, c.to); math.Abs(got-c.rate) > 1e-9 {
			t.Errorf("rate from %v to %v: %v, want %v", c.from, c.to, got, c.rate)
		}
		if got := world.Limit(trace, c.from, c.to); math.Abs(got-c.limit) > 1e-9 {
			t.Errorf("limit from %v to %v: %v, want %v", c.from, c.to, got, c.limit)
		}
	}
	if got := world.Refused(trace); got != 0.2 {
		t.Errorf("refused: %v, want 200 of 1000", got)
	}
}

// Late points do not weigh less.
func TestLimitWeighsByTime(t *testing.T) {
	for _, c := range []struct {
		name  string
		trace world.Trace
		want  float64 // from 2 to 3
	}{
		{"one stays to the end", world.Trace{world.NewPoint(0.5, 0, 0, 7)}, 7},
		{"uneven", world.Trace{world.NewPoint(2, 0, 0, 9), world.NewPoint(2.1, 0, 0, 1), world.NewPoint(3, 0, 0, 11)}, 10},
		{"beyond the end", world.Trace{world.NewPoint(2, 0, 0, 9), world.NewPoint(4, 0, 0, 5)}, 5},
		{"ends early", world.Trace{world.NewPoint(2, 0, 0, 9), world.NewPoint(2.5, 0, 0, 5)}, 5},
	} {
		if got := world.Limit(c.trace, 2, 3); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
