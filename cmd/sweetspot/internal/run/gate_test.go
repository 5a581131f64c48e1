package run_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
)

// A machineState is what a gate sees.
type machineState struct {
	free          atomic.Int64
	wanting, runs atomic.Int64
	said          []string
}

func (m *machineState) gate(t *testing.T, delay time.Duration, memory float64, load string) run.Gate {
	t.Helper()
	g, err := run.NewGate(delay, memory, load,
		func() float64 { return float64(m.free.Load()) },
		func() int { return int(m.wanting.Load()) },
		func() int { return int(m.runs.Load()) },
		func(s string) { m.said = append(m.said, s) })
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Starts are apart, also where they are late.
func TestDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m machineState
		g, l := m.gate(t, time.Second, 0, ""), setTo(sweetspot.New(), 10)
		began := time.Now()
		var at []time.Duration
		for i := range 4 {
			if i == 2 {
				time.Sleep(3500 * time.Millisecond)
			}
			if err := g.Acquire(t.Context(), l); err != nil {
				t.Fatal(err)
			}
			g.Started()
			at = append(at, time.Since(began))
		}
		if want := []time.Duration{0, time.Second, 4500 * time.Millisecond, 5500 * time.Millisecond}; !slices.Equal(at, want) {
			t.Errorf("started at %v, want %v", at, want)
		}
		if n := l.Stats().InFlight; n != 4 {
			t.Errorf("%d permits are held, want 4", n)
		}
		for range 4 {
			l.Release()
		}
	})
}

// Nothing starts while memory is short, and no permit is held meanwhile; then
// it goes on.
func TestMemoryGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m machineState
		m.free.Store(999)
		g, l := m.gate(t, 0, 1000, ""), setTo(sweetspot.New(), 10)
		passed := make(chan error, 1)
		go func() { passed <- g.Acquire(t.Context(), l) }()
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := l.Stats().InFlight; n != 0 {
			t.Errorf("%d permits are held by what waits", n)
		}
		select {
		case err := <-passed:
			t.Fatalf("passed with too little memory: %v", err)
		default:
		}
		m.free.Store(1000)
		if err := <-passed; err != nil {
			t.Error(err)
		}
		want := []string{"waiting to start a job: 999 bytes of memory are free, and --memfree wants 1000 bytes"}
		if !slices.Equal(m.said, want) {
			t.Errorf("said %q, want %q", m.said, want)
		}
		l.Release()
	})
}

// A job that the memory does not hold beside the others starts as soon as one of them has
// ended. The first is not asked about: what jobs need is learnt from it.
func TestGateAdmitsByMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m machineState
		var asked []int
		var fits atomic.Bool
		g, l := m.gate(t, 0, 0, ""), setTo(sweetspot.New(), 10)
		g.Admit(func(starting int) (bool, string) {
			asked = append(asked, starting)
			return fits.Load(), "memory: little left"
		})
		if err := g.Acquire(t.Context(), l); err != nil || len(asked) > 0 {
			t.Fatalf("the first job: %v, asked %v", err, asked)
		}
		m.runs.Store(1)
		g.Started()
		const end = 10 * time.Millisecond // less than until the gate looks again
		time.AfterFunc(end, func() {
			fits.Store(true)
			g.Ended()
		})
		began := time.Now()
		if err := g.Acquire(t.Context(), l); err != nil || time.Since(began) != end {
			t.Errorf("the second: %v, after %v, want %v", err, time.Since(began), end)
		}
		if held := g.HeldFor(); held != end {
			t.Errorf("held for %v, want %v", held, end)
		}
		if asked[0] != 0 || len(m.said) > 0 {
			t.Errorf("asked beside %v that start, said %q", asked, m.said)
		}
		l.Release()
		l.Release()
	})
}

// While jobs of ours run, a closed gate is how it works, and not worth a word.
func TestGateIsQuietWhileJobsRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m machineState
		m.runs.Store(1)
		m.wanting.Store(5)
		g, l := m.gate(t, 0, 0, "5"), setTo(sweetspot.New(), 10)
		go func() {
			time.Sleep(time.Minute)
			m.wanting.Store(4)
		}()
		if err := g.Acquire(t.Context(), l); err != nil || len(m.said) > 0 {
			t.Errorf("%v, said %q", err, m.said)
		}
		l.Release()
	})
}

// What was let through and has not started yet counts: a load that has not risen
// yet does not let all of them through.
func TestLoadCountsWhatStarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m machineState
		g, l := m.gate(t, 0, 0, "3"), setTo(sweetspot.New(), 10)
		for range 3 {
			if err := g.Acquire(t.Context(), l); err != nil {
				t.Fatal(err)
			}
		}
		fourth := make(chan error, 1)
		go func() { fourth <- g.Acquire(t.Context(), l) }()
		time.Sleep(time.Second)
		synctest.Wait()
		select {
		case err := <-fourth:
			t.Fatalf("a fourth of 3 passed: %v", err)
		default:
		}
		g.Started() // and has ended at once
		if err := <-fourth; err != nil {
			t.Error(err)
		}
		for range 4 {
			l.Release()
		}
	})
}

func TestGateStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m machineState
		g, l := m.gate(t, 0, 1000, ""), setTo(sweetspot.New(), 1)
		why := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() {
			time.Sleep(time.Second)
			cancel(why)
		}()
		if err := g.Acquire(ctx, l); err != why || l.Stats().InFlight != 0 {
			t.Errorf("%v, %d permits held", err, l.Stats().InFlight)
		}
	})
}

// Jobs that run again wait as others do. They keep their permits, pass in the order in which
// they came, and what holds all of them up is said once.
func TestGateHoldsRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m machineState
		m.free.Store(999)
		g, l := m.gate(t, time.Second, 1000, ""), setTo(sweetspot.New(), 3)
		for range 3 {
			l.Acquire(t.Context())
		}
		began := time.Now()
		type pass struct {
			job   int
			after time.Duration
		}
		passed := make(chan pass, 4)
		enter := func(job int, wait func() error) {
			go func() {
				if err := wait(); err != nil {
					t.Error(err)
				}
				passed <- pass{job, time.Since(began)}
				g.Started()
				l.Release()
			}()
			synctest.Wait()
		}
		for job := range 3 {
			enter(job, func() error { return g.Retry(t.Context()) })
		}
		enter(3, func() error { return g.Acquire(t.Context(), l) })
		time.Sleep(10*time.Second + time.Millisecond)
		if n := l.Stats().InFlight; n != 3 || len(passed) > 0 {
			t.Fatalf("%d permits are held, %d jobs have passed", n, len(passed))
		}
		m.free.Store(1000)
		var retried []int
		var last time.Duration
		for i := range 4 {
			p := <-passed
			if i > 0 && p.after-last < time.Second {
				t.Errorf("job %d passed %v after the one before", p.job, p.after-last)
			}
			last = p.after
			if p.job < 3 {
				retried = append(retried, p.job)
			}
		}
		if !slices.Equal(retried, []int{0, 1, 2}) || len(m.said) != 1 {
			t.Errorf("retried %v, said %q", retried, m.said)
		}
		synctest.Wait()
		if n := l.Stats().InFlight; n != 0 {
			t.Errorf("%d permits are held", n)
		}
	})
}

// All that wait to run again give up when the run stops.
func TestGateStopsRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m machineState
		g := m.gate(t, 0, 1000, "")
		why := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		ended := make(chan error, 3)
		for range 3 {
			go func() { ended <- g.Retry(ctx) }()
		}
		time.Sleep(time.Second)
		cancel(why)
		for range 3 {
			if err := <-ended; err != why {
				t.Error(err)
			}
		}
	})
}

// A gate that wants nothing is open.
func TestNoGate(t *testing.T) {
	g := new(machineState).gate(t, 0, 0, "")
	l := setTo(sweetspot.New(), 1)
	if err := g.Acquire(t.Context(), l); err != nil {
		t.Error(err)
	}
	if err := g.Retry(t.Context()); err != nil {
		t.Error(err)
	}
	g.Started()
	g.Started()
	l.Release()
}

// setTo returns l with its limit fixed at n.
func setTo(l *sweetspot.Limiter, n int) *sweetspot.Limiter {
	l.SetLimit(n)
	return l
}
