package main

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"sync"

	"github.com/alitto/pond/v2"
	"github.com/gammazero/workerpool"
	"github.com/panjf2000/ants/v2"
	"github.com/sourcegraph/conc/pool"
	"golang.org/x/sync/errgroup"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/bench/internal/stats"
)

// A submitter is somebody's pool of n workers. open starts it; stop returns when
// all that was submitted has run.
type submitter struct {
	name string
	open func(n int) (submit func(func()) error, stop func() error)
}

const ourPool = "Pool"

// submitters are the pools. To add one, add it here.
var submitters = []submitter{
	{ourPool, func(int) (func(func()) error, func() error) {
		ctx := context.Background()
		p := sweetspot.NewPool(ctx, func(_ context.Context, tasks iter.Seq[func()]) error {
			for f := range tasks {
				f()
			}
			return nil
		})
		return func(f func()) error { return p.Submit(ctx, f) }, p.Close
	}},
	{"by hand: channel, buffer 0", func(n int) (func(func()) error, func() error) { return channelPool(n, 0) }},
	{"by hand: channel, buffer 1024", func(n int) (func(func()) error, func() error) { return channelPool(n, 1024) }},
	{"errgroup", func(n int) (func(func()) error, func() error) {
		g := new(errgroup.Group)
		g.SetLimit(n)
		return func(f func()) error {
			g.Go(func() error {
				f()
				return nil
			})
			return nil
		}, g.Wait
	}},
	{"conc pool", func(n int) (func(func()) error, func() error) {
		p := pool.New().WithMaxGoroutines(n)
		return func(f func()) error {
			p.Go(f)
			return nil
		}, over(p.Wait)
	}},
	{"pond Go", func(n int) (func(func()) error, func() error) {
		p := pond.NewPool(n)
		return p.Go, over(p.StopAndWait)
	}},
	{"pond Submit", func(n int) (func(func()) error, func() error) {
		p := pond.NewPool(n)
		return func(f func()) error {
			p.Submit(f)
			return nil
		}, over(p.StopAndWait)
	}},
	{"ants", func(n int) (func(func()) error, func() error) {
		p, err := ants.NewPool(n)
		var wg sync.WaitGroup // Release does not wait for what runs
		return func(f func()) error {
				if err != nil {
					return err
				}
				wg.Add(1)
				return p.Submit(func() {
					f()
					wg.Done()
				})
			}, over(func() {
				wg.Wait()
				p.Release()
			})
	}},
	{"ants with func", func(n int) (func(func()) error, func() error) {
		var wg sync.WaitGroup
		p, err := ants.NewPoolWithFuncGeneric(n, func(f func()) {
			f()
			wg.Done()
		})
		return func(f func()) error {
				if err != nil {
					return err
				}
				wg.Add(1)
				return p.Invoke(f)
			}, over(func() {
				wg.Wait()
				p.Release()
			})
	}},
	{"workerpool", func(n int) (func(func()) error, func() error) {
		p := workerpool.New(n)
		return func(f func()) error {
			p.Submit(f)
			return nil
		}, over(p.StopWait)
	}},
}

// over returns a stop that cannot fail.
func over(stop func()) func() error {
	return func() error {
		stop()
		return nil
	}
}

// channelPool is the pool that most programs write: goroutines that range over a
// channel.
func channelPool(n, buffer int) (submit func(func()) error, stop func() error) {
	tasks := make(chan func(), buffer)
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			for f := range tasks {
				f()
			}
		})
	}
	return func(f func()) error {
			tasks <- f
			return nil
		}, over(func() {
			close(tasks)
			wg.Wait()
		})
}

// submitting returns the task of producers that submit n empty functions.
func submitting(e environment, s submitter, producers int, f func()) task {
	return task{run: func() error {
		submit, stop := s.open(e.procs)
		var failed failure
		var wg sync.WaitGroup
		for i := range producers {
			n := e.items*(i+1)/producers - e.items*i/producers
			wg.Go(func() {
				for range n {
					if err := submit(f); err != nil {
						failed.set(err)
						return
					}
				}
			})
		}
		wg.Wait()
		failed.set(stop())
		return failed.err
	}}
}

func producing(n int) string {
	if n == 1 {
		return "1 producer"
	}
	return fmt.Sprintf("%d producers", n)
}

func poolGroup() group {
	var rows, libraries []string
	for _, s := range submitters {
		rows = append(rows, s.name)
		if s.name != ourPool && !strings.HasPrefix(s.name, "by hand") {
			libraries = append(libraries, s.name)
		}
	}
	producers := []int{1, 8}
	columns := []string{producing(1), producing(8)}
	return group{
		name:  "pool",
		title: "Pool",
		about: "Producers submit 100,000 empty functions (a quick look: 20,000) to a pool of as many workers as CPUs, and all\nof them run; the pool is made and ended in the measured time. Ideal would be the cost of calling the function.",
		list: func(procs int, quick bool, add func(subject)) {
			n := 100_000
			if quick {
				n /= 5
			}
			for _, k := range producers {
				for _, s := range submitters {
					add(subject{row: s.name, column: producing(k), procs: procs, items: n, set: func(e environment) task {
						return submitting(e, s, k, func() {})
					}})
				}
			}
		},
		report: func(r *findings) {
			r.grid("Time per task:", rows, columns, r.each(perItem, stats.FormatTime))
			r.grid("Allocations per run:", rows, columns, r.each(mallocs, count))
			for _, c := range columns {
				best, xs := r.againstBest(ourPool, libraries, c, ourPool)
				r.atMost("Pool, empty tasks, "+c, xs, 1, fmt.Sprintf("the best library (%s)", best))
				for _, row := range rows[1:] {
					if x := r.ratio(row, ourPool, c, ns); 1.03*x < 1 {
						r.lose("Pool, empty tasks, %s: %s takes %s of the time", c, row, stats.FormatRatio(x))
					}
				}
			}
		},
	}
}
