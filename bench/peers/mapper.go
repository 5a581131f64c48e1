package main

import (
	"context"
	"sync"

	"github.com/alitto/pond/v2"
	"github.com/destel/rill"
	"github.com/gammazero/workerpool"
	marusama "github.com/marusama/semaphore/v2"
	"github.com/panjf2000/ants/v2"
	lop "github.com/samber/lo/parallel"
	"github.com/sourcegraph/conc/iter"
	"github.com/sourcegraph/conc/pool"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"
)

// A mapper is somebody's way to call f for each item, n at a time, and to put
// the results in order. Each is written as its documentation shows, and makes
// what it needs anew in each call.
type mapper struct {
	name string
	do   func(ctx context.Context, items []int, f work, n int) ([]int, error)
}

// peers are the mappers of others. To add one, add it here.
var peers = []mapper{
	{"by hand: chunk per CPU", chunks},
	{"by hand: guided chunks", guided},
	{"by hand: one by one", each},
	{"go per item", spawned},
	{"go per item, channel", channelled},
	{"Do, buffer 0", func(ctx context.Context, items []int, f work, n int) ([]int, error) {
		return doInOrder(ctx, items, f, n, 0)
	}},
	{"Do, buffer n", func(ctx context.Context, items []int, f work, n int) ([]int, error) {
		return doInOrder(ctx, items, f, n, len(items))
	}},
	{"errgroup", func(ctx context.Context, items []int, f work, n int) ([]int, error) {
		results := make([]int, len(items))
		g, ctx := errgroup.WithContext(ctx)
		g.SetLimit(n)
		for i, v := range items {
			g.Go(func() (err error) {
				results[i], err = f(ctx, v)
				return err
			})
		}
		return results, g.Wait()
	}},
	{"x/sync semaphore", func(ctx context.Context, items []int, f work, n int) ([]int, error) {
		return governedBy(ctx, items, f, semaphore.NewWeighted(int64(n)))
	}},
	{"marusama semaphore", func(ctx context.Context, items []int, f work, n int) ([]int, error) {
		return governedBy(ctx, items, f, counted{marusama.New(n)})
	}},
	{"conc iter", func(ctx context.Context, items []int, f work, n int) ([]int, error) {
		m := iter.Mapper[int, int]{MaxGoroutines: n}
		return m.MapErr(items, func(v *int) (int, error) { return f(ctx, *v) })
	}},
	{"conc pool", func(ctx context.Context, items []int, f work, n int) ([]int, error) {
		results := make([]int, len(items))
		p := pool.New().WithErrors().WithMaxGoroutines(n)
		for i, v := range items {
			p.Go(func() (err error) {
				results[i], err = f(ctx, v)
				return err
			})
		}
		return results, p.Wait()
	}},
	{"pond", func(ctx context.Context, items []int, f work, n int) ([]int, error) {
		p := pond.NewResultPool[int](n)
		defer p.StopAndWait()
		g := p.NewGroup()
		for _, v := range items {
			g.SubmitErr(func() (int, error) { return f(ctx, v) })
		}
		return g.Wait()
	}},
	{"ants", func(ctx context.Context, items []int, f work, n int) ([]int, error) {
		results := make([]int, len(items))
		var failed failure
		var wg sync.WaitGroup
		p, err := ants.NewPoolWithFuncGeneric(n, func(i int) {
			r, err := f(ctx, items[i])
			results[i] = r
			failed.set(err)
			wg.Done()
		})
		if err != nil {
			return nil, err
		}
		defer p.Release()
		for i := range items {
			wg.Add(1)
			if err := p.Invoke(i); err != nil {
				return nil, err
			}
		}
		wg.Wait()
		return results, failed.err
	}},
	{"workerpool", func(ctx context.Context, items []int, f work, n int) ([]int, error) {
		results := make([]int, len(items))
		var failed failure
		p := workerpool.New(n)
		for i, v := range items {
			p.Submit(func() {
				r, err := f(ctx, v)
				results[i] = r
				failed.set(err)
			})
		}
		p.StopWait()
		return results, failed.err
	}},
	{"rill", func(ctx context.Context, items []int, f work, n int) ([]int, error) {
		results := rill.OrderedMap(rill.FromSlice(items, nil), n, func(v int) (int, error) { return f(ctx, v) })
		return rill.ToSlice(results)
	}},
	{"lo parallel", func(ctx context.Context, items []int, f work, _ int) ([]int, error) {
		var failed failure
		results := lop.Map(items, func(v, _ int) int {
			r, err := f(ctx, v)
			failed.set(err)
			return r
		})
		return results, failed.err
	}},
}

// doInOrder puts the results of doWork in order, which it does not keep: it
// gives positions to the workers.
func doInOrder(ctx context.Context, items []int, f work, n, buffer int) ([]int, error) {
	positions := make([]int, len(items))
	for i := range positions {
		positions[i] = i
	}
	var failed failure
	results := make([]int, len(items))
	for _, r := range doWork(positions, func(i int) (int, error) { return f(ctx, items[i]) }, n, buffer) {
		results[r.in] = r.out
		failed.set(r.err)
	}
	return results, failed.err
}

// A weighted is what two libraries call a semaphore.
type weighted interface {
	Acquire(ctx context.Context, n int64) error
	Release(n int64)
}

type counted struct{ marusama.Semaphore }

func (c counted) Acquire(ctx context.Context, n int64) error {
	return c.Semaphore.Acquire(ctx, int(n))
}
func (c counted) Release(n int64) { c.Semaphore.Release(int(n)) }

// governedBy starts a goroutine for each item, as many at a time as the
// semaphore lets through.
func governedBy(ctx context.Context, items []int, f work, s weighted) ([]int, error) {
	results := make([]int, len(items))
	var failed failure
	var wg sync.WaitGroup
	for i, v := range items {
		if err := s.Acquire(ctx, 1); err != nil {
			return nil, err
		}
		wg.Go(func() {
			r, err := f(ctx, v)
			results[i] = r
			failed.set(err)
			s.Release(1)
		})
	}
	wg.Wait()
	return results, failed.err
}
