package main_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	peers "github.com/sweetspot-go/sweetspot/bench/peers"
)

func square(_ context.Context, v int) (int, error) { return v * v, nil }

// What is compared must do the same.
func TestMappersGiveTheResultsOfTheLoop(t *testing.T) {
	for name, do := range peers.Mappers() {
		for _, n := range []int{0, 1, 7, 500} {
			items := make([]int, n)
			for i := range items {
				items[i] = i
			}
			want, _ := peers.Loop(t.Context(), items, square)
			for _, procs := range []int{1, 2, 5} {
				got, err := do(t.Context(), items, square, procs)
				if name == "Reduce" {
					sum := 0
					for _, r := range want {
						sum += r
					}
					want = []int{sum}
				}
				if err != nil || !slices.Equal(got, want) {
					t.Errorf("%s of %d items by %d: %v, %v; want %v", name, n, procs, got, err, want)
				}
			}
		}
	}
}

func TestMappersReturnTheError(t *testing.T) {
	bad := errors.New("bad")
	items := make([]int, 50)
	items[20] = 1
	for name, do := range peers.Mappers() {
		_, err := do(t.Context(), items, func(_ context.Context, v int) (int, error) {
			if v == 1 {
				return 0, bad
			}
			return 0, nil
		}, 2)
		if !errors.Is(err, bad) {
			t.Errorf("%s: error %v, want %v", name, err, bad)
		}
	}
}

func TestSmallCallsDoWhatTheirLoopsDo(t *testing.T) {
	var calls, sum atomic.Int64
	restore := peers.SetWork(func(_ context.Context, v int) (int, error) {
		calls.Add(1)
		sum.Add(int64(v))
		return v, nil
	})
	defer restore()
	for _, n := range []int{0, 1, 10, 1000} {
		items := make([]int, n)
		want := int64(0)
		for i := range items {
			items[i] = i + 1
			want += int64(i) + 1
		}
		for name, both := range peers.SmallCalls(items) {
			for i, f := range both {
				calls.Store(0)
				sum.Store(0)
				if err := f(); err != nil || calls.Load() != int64(n) || sum.Load() != want {
					t.Errorf("%s (%d) of %d items: %d calls, sum %d, %v; want sum %d", name, i, n, calls.Load(), sum.Load(), err, want)
				}
			}
		}
	}
}

func TestSumsAgree(t *testing.T) {
	for name, got := range peers.Sums(1000) {
		if got != 499_500 {
			t.Errorf("%s: %d, want 499500", name, got)
		}
	}
}

func TestCompareFindsWrongResults(t *testing.T) {
	items := []int{3, 1, 4, 1, 5}
	right, _ := peers.Loop(t.Context(), items, peers.Spin)
	if err := peers.Compare(t.Context(), items, right); err != nil {
		t.Errorf("right results: %v", err)
	}
	wrong := slices.Clone(right)
	wrong[2]++
	for name, results := range map[string][]int{
		"one wrong": wrong, "too few": right[:4], "none": nil, "wrong sum": {1},
	} {
		if err := peers.Compare(t.Context(), items, results); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestCuts(t *testing.T) {
	for _, c := range []struct {
		name  string
		items []int
		n     int
	}{
		{"even", slices.Repeat([]int{100}, 1000), 4},
		{"rising", rising(1000), 2},
		{"rising", rising(1000), 7},
		{"nothing in them", make([]int, 100), 3},
	} {
		at := peers.Cuts(c.items, c.n)
		if len(at) != c.n+1 || at[0] != 0 || at[c.n] != len(c.items) || !slices.IsSorted(at) {
			t.Errorf("%s: %v are no %d parts", c.name, at, c.n)
			continue
		}
		total := 0
		for _, v := range c.items {
			total += v + 4
		}
		for i := range c.n {
			part := 0
			for _, v := range c.items[at[i]:at[i+1]] {
				part += v + 4
			}
			if off := part*c.n - total; off > total/20 || off < -total/20 {
				t.Errorf("%s, part %d of %d: %d of %d", c.name, i, c.n, part, total)
			}
		}
	}
	if at := peers.Cuts([]int{5}, 3); !slices.Equal(at, []int{0, 1, 1, 1}) {
		t.Errorf("one item in three parts: %v", at)
	}
}

func rising(n int) []int {
	items := make([]int, n)
	for i := range items {
		items[i] = i
	}
	return items
}
