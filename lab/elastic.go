package lab

import (
	"context"
	"fmt"
	"iter"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/limit"
)

// What E1 and E5 do to semaphores.

// A waitSignal is a semaphore with the methods of the talk.
type waitSignal interface {
	Wait()
	Signal()
}

// An elasticGate is one whose limit can be changed.
type elasticGate interface {
	waitSignal
	SetLimit(n int)
	asked() int // how many have a permit or wait for one
	free()      // lets everybody through
}

// channelGate is the buffered channel with which the talk begins.
type channelGate chan struct{}

func (c channelGate) Wait()   { c <- struct{}{} }
func (c channelGate) Signal() { <-c }

type weightedGate struct{ s *semaphore.Weighted }

func (w weightedGate) Wait()   { _ = w.s.Acquire(context.Background(), 1) } // this context never ends
func (w weightedGate) Signal() { w.s.Release(1) }

type exactGate struct{ s *limit.Semaphore }

func (e exactGate) Wait()          { _ = e.s.Acquire(context.Background()) } // this context never ends
func (e exactGate) Signal()        { e.s.Release() }
func (e exactGate) SetLimit(n int) { e.s.SetLimit(n) }
func (e exactGate) free()          { e.s.SetLimit(limit.MaxLimit) }

func (e exactGate) asked() int {
	c := e.s.Counters()
	return c.InFlight + c.Waiting
}

// pairPoint measures n pairs of Wait and Signal by the given number of goroutines,
// with something in between. The figure is the time of a pair.
func pairPoint(label string, many int, between func(), newGate func() waitSignal) point {
	return point{label: label, x: float64(many), unit: "ns/pair", set: func(n int) (task, error) {
		g := newGate()
		var done atomic.Int64
		return task{
			before: func() error { done.Store(0); return nil },
			run: func() error {
				return goroutines(many, func(k int) {
					share := shareOf(k, many, n)
					for range share {
						g.Wait()
						between()
						g.Signal()
					}
					done.Add(int64(share))
				})
			},
			check: func() error {
				if got := done.Load(); got != int64(n) {
					return fmt.Errorf("%d pairs were done, want %d", got, n)
				}
				return nil
			},
			figure: perOp(n),
			close: func() error {
				if g, stops := g.(interface{ Stop() }); stops {
					g.Stop()
				}
				return nil
			},
		}, nil
	}}
}

func microsecond() { compute(1) }

func nothingBetween() {}

// A lowering says how the waiting tasks fared when the limit was lowered.
type lowering struct {
	beyond int // at most in flight beyond the lower limit, of those admitted when all that ran before had ended
	lost   int // who never got a permit though all had been given back
	passed int // who were overtaken: admitted after one that had come later
}

const (
	runningAtFirst = 10 // in the talk's example,
	limitLowered   = 5  // where the limit goes from 10 to 5
	waitingThen    = 20
)

// lowerLimit fills g with running tasks up to its limit, lets others wait in a
// known order, lowers the limit, and lets all end. Those that waited stay until the
// others have ended, and a millisecond more.
func lowerLimit(g elasticGate, running, to int) lowering {
	t := trial{first: running, begun: make(chan struct{})}
	var all sync.WaitGroup
	gone := make(chan struct{})
	for k := range running + waitingThen {
		all.Go(func() {
			g.Wait()
			t.enter(k, to)
			if k < running {
				<-gone
			} else {
				<-t.begun
				time.Sleep(time.Millisecond)
			}
			t.leave(k < running)
			g.Signal()
		})
		// It runs, or waits, before the next one comes.
		for admitted := 0; g.asked() <= k || admitted < min(k+1, running); admitted, _ = t.admitted() {
			runtime.Gosched()
		}
	}
	g.SetLimit(to)
	close(gone)
	lost := neverAdmitted(running+waitingThen, t.admitted)
	t.mu.Lock()
	result := t.lowering // before the others are let through
	t.mu.Unlock()
	result.lost = lost
	g.free()
	all.Wait()
	return result
}

// A trial follows the tasks of lowerLimit.
type trial struct {
	mu sync.Mutex
	lowering
	inside int
	first  int           // of those that ran at first, how many still do
	begun  chan struct{} // closed when all those have ended: the others begin to
	count  int           // admitted so far
	latest int           // of those admitted, who came last
}

func (t *trial) enter(k, limit int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.inside++
	t.count++
	if t.first == 0 {
		t.beyond = max(t.beyond, t.inside-limit)
	}
	if k < t.latest {
		t.passed++
	}
	t.latest = max(t.latest, k)
}

func (t *trial) leave(first bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.inside--
	if first {
		if t.first--; t.first == 0 {
			close(t.begun)
		}
	}
}

// admitted returns how many are admitted so far, and whether one of them is at
// work.
func (t *trial) admitted() (count int, busy bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.count, t.inside > 0
}

// giveUp is how long no task may hold a permit before the waiting ones count as
// lost. To hand one over takes microseconds.
const giveUp = 50 * time.Millisecond

// neverAdmitted returns how many of the tasks are never admitted. look says how many are
// admitted so far, and whether one of them holds a permit.
func neverAdmitted(tasks int, look func() (admitted int, busy bool)) int {
	for last, quiet := 0, time.Now(); ; time.Sleep(100 * time.Microsecond) {
		admitted, busy := look()
		switch {
		case admitted == tasks:
			return 0
		case busy || admitted > last:
			last, quiet = admitted, time.Now()
		case time.Since(quiet) > giveUp:
			return tasks - admitted
		}
	}
}

// loweringPoints are the figures of lowerLimit: how many are in flight beyond the
// limit and how many are never admitted when it is lowered, and, with a single
// permit, how many are overtaken. If several are let in at a time, they do not show
// which was first.
func loweringPoints(name string, newGate func(limit int) waitSignal) []point {
	lowered := loweringPoint(beyondLimit+name, newGate, runningAtFirst, limitLowered, func(l lowering) int { return l.beyond })
	turn := loweringPoint(outOfTurn+name, newGate, 1, 1, func(l lowering) int { return l.passed })
	return []point{lowered, lowered.showing(neverServed+name, "tasks", neverServed), turn}
}

func loweringPoint(label string, newGate func(limit int) waitSignal, running, to int, figure func(lowering) int) point {
	return point{
		label: label, unit: "tasks", aside: true, from: "E1: " + label,
		size: func(int) string { return fmt.Sprintf("%d tasks, limit %d, later %d", running+waitingThen, running, to) },
		set: func(int) (task, error) {
			return valuedBeside(neverServed, func() (y, beside float64, err error) {
				l := lowerLimit(newGate(running).(elasticGate), running, to)
				return float64(figure(l)), float64(l.lost), nil
			}), nil
		},
	}
}

const (
	longWorkers = 8
	longLowered = 2
	// longAfter is how long after the lowering the workers are counted. A unit
	// takes a millisecond.
	longAfter = 20 * time.Millisecond
)

// longPoint counts the long-lived workers that work on after the limit was
// lowered.
func longPoint(label string, work func() (int, error)) point {
	p := countPoint(label, "workers", work)
	p.size = func(int) string {
		return fmt.Sprintf("%d workers, limit %d, later %d", longWorkers, longWorkers, longLowered)
	}
	return p
}

// A headcount counts the workers at work, and the most at a time since its last reset.
type headcount struct{ now, most atomic.Int64 }

func (h *headcount) work() {
	n := h.now.Add(1)
	for m := h.most.Load(); n > m && !h.most.CompareAndSwap(m, n); m = h.most.Load() {
	}
	time.Sleep(time.Millisecond)
	h.now.Add(-1)
}

// after returns how many work at a time some time after the limit was lowered.
func (h *headcount) after(lower func()) int {
	for h.most.Load() < longWorkers {
		time.Sleep(100 * time.Microsecond)
	}
	lower()
	time.Sleep(longAfter)
	h.most.Store(0)
	time.Sleep(longAfter)
	return int(h.most.Load())
}

// longByLoose has workers that hold a permit as long as they live.
func longByLoose() (int, error) {
	s := newLoose(longWorkers, wakesEach)
	var heads headcount
	var stop atomic.Bool
	var running sync.WaitGroup
	for range longWorkers {
		running.Go(func() {
			s.Wait()
			defer s.Signal()
			for !stop.Load() {
				heads.work()
			}
		})
	}
	n := heads.after(func() { s.SetLimit(longLowered) })
	stop.Store(true)
	running.Wait()
	return n, nil
}

func longByPool() (int, error) {
	ctx := context.Background()
	l := sweetspot.New()
	l.SetLimit(longWorkers)
	var heads headcount
	p := sweetspot.NewPool(ctx, func(_ context.Context, tasks iter.Seq[struct{}]) error {
		for range tasks {
			heads.work()
		}
		return nil
	}, l)
	var stop atomic.Bool
	var err error
	var submitting sync.WaitGroup
	submitting.Go(func() {
		for !stop.Load() && err == nil {
			err = p.Submit(ctx, struct{}{})
		}
	})
	n := heads.after(func() { l.SetLimit(longLowered) })
	stop.Store(true)
	submitting.Wait()
	if err != nil {
		return 0, err
	}
	return n, p.Close()
}
