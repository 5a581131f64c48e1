package lab_test

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/sweetspot-go/sweetspot/lab"
)

func TestPool(t *testing.T) {
	odd := errors.New("odd")
	double := func(v uint64) (uint64, error) {
		if v%2 == 1 {
			return 0, odd
		}
		return 2 * v, nil
	}
	for _, n := range []int{0, 1, 7, 300} {
		for _, workers := range []int{1, 2, 24, 1000} {
			for _, buffer := range []int{0, 1, 100, n} {
				var states atomic.Int64
				state := func() *atomic.Int64 { states.Add(1); return new(atomic.Int64) }
				inState := func(s *atomic.Int64, v uint64) (uint64, error) {
					if s.Add(1) > 1 {
						return 0, errors.New("the state is used by two calls at a time")
					}
					defer s.Add(-1)
					return double(v)
				}
				for name, got := range map[string][]lab.PoolResult[uint64, uint64]{
					"Do":          lab.Do(lab.Numbered(n), double, workers, buffer),
					"DoWithState": lab.DoWithState(lab.Numbered(n), state, inState, workers, buffer),
				} {
					what := fmt.Sprintf("%s: %d units, %d workers, buffer %d", name, n, workers, buffer)
					if len(got) != n {
						t.Fatalf("%s: %d results", what, len(got))
					}
					slices.SortFunc(got, func(a, b lab.PoolResult[uint64, uint64]) int { return int(a.In) - int(b.In) })
					for i, r := range got {
						want, err := double(uint64(i))
						if r.In != uint64(i) || r.Out != want || r.Err != err {
							t.Fatalf("%s: result %d is %+v", what, i, r)
						}
					}
				}
				if got := states.Load(); got != int64(workers) {
					t.Fatalf("%d states of %d workers", got, workers)
				}
			}
		}
	}
}

func TestWrongResultsAreRefused(t *testing.T) {
	const n = 100
	right := func() []lab.PoolResult[uint64, uint64] {
		return lab.Do(lab.Numbered(n), func(v uint64) (uint64, error) { return 2 * v, nil }, 2, 0)
	}
	if err := lab.CheckDoubled(n, right()); err != nil {
		t.Fatal(err)
	}
	if err := lab.CheckDoubled(0, nil); err == nil {
		t.Error("no units are accepted")
	}
	for name, spoil := range map[string]func(rs []lab.PoolResult[uint64, uint64]) []lab.PoolResult[uint64, uint64]{
		"lost":    func(rs []lab.PoolResult[uint64, uint64]) []lab.PoolResult[uint64, uint64] { return rs[1:] },
		"twice":   func(rs []lab.PoolResult[uint64, uint64]) []lab.PoolResult[uint64, uint64] { rs[0] = rs[1]; return rs },
		"foreign": func(rs []lab.PoolResult[uint64, uint64]) []lab.PoolResult[uint64, uint64] { rs[0].In = n; return rs },
		"failed": func(rs []lab.PoolResult[uint64, uint64]) []lab.PoolResult[uint64, uint64] {
			rs[0].Err = errors.New("failed")
			return rs
		},
		"wrong": func(rs []lab.PoolResult[uint64, uint64]) []lab.PoolResult[uint64, uint64] {
			for i := range rs {
				rs[i].Out++
			}
			return rs
		},
		"mixed up": func(rs []lab.PoolResult[uint64, uint64]) []lab.PoolResult[uint64, uint64] {
			for i := range rs {
				rs[i].Out = rs[(i+1)%n].Out
			}
			return rs
		},
	} {
		if err := lab.CheckDoubled(n, spoil(right())); err == nil {
			t.Errorf("results that are %s are accepted", name)
		}
	}
}
