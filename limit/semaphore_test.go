package limit_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
	"github.com/sweetspot-go/sweetspot/limit"
)

const (
	releaseMisuse = "limit: Release without Acquire"
	cancelMisuse  = "limit: Cancel without Acquire"
	renewMisuse   = "limit: Renew without Acquire"
)

// refuse calls f and returns what it panics with, or nil.
func refuse(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

// together runs f(0) to f(n-1) at the same time and waits for all of them.
func together(n int, f func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { f(i) })
	}
	wg.Wait()
}

// isFree checks that nothing is held or waited for, and that all permits and no
// more can be had.
func isFree(t *testing.T, s *limit.Semaphore) {
	t.Helper()
	if got := s.Counters(); got.InFlight != 0 || got.Waiting != 0 {
		t.Fatalf("at the end %+v, want nothing in flight or waiting", got)
	}
	n := 0
	for s.TryAcquire() {
		n++
	}
	for range n {
		s.Cancel()
	}
	if n != s.Limit() {
		t.Fatalf("%d permits could be had, want %d", n, s.Limit())
	}
}

func TestBadLimit(t *testing.T) {
	for _, n := range []int{-1, 0, limit.MaxLimit + 1} {
		if refuse(func() { limit.New(n) }) == nil {
			t.Errorf("New(%d) did not panic", n)
		}
		s := limit.New(3)
		s.TryAcquire()
		if refuse(func() { s.SetLimit(n) }) == nil {
			t.Errorf("SetLimit(%d) did not panic", n)
		}
		s.Release()
		isFree(t, s)
	}
	want := "limit: New(0): the limit must be between 1 and 4194304"
	if got := refuse(func() { limit.New(0) }); got != want {
		t.Errorf("New(0) panics with %q, want %q", got, want)
	}
	limit.New(1)
	limit.New(limit.MaxLimit)
}

func TestExtremes(t *testing.T) {
	rerun.Skip(t)
	s := limit.New(limit.MaxLimit)
	for range limit.MaxLimit {
		if !s.TryAcquire() {
			t.Fatalf("no permit at %+v", s.Counters())
		}
	}
	if s.TryAcquire() {
		t.Fatalf("a permit too many at %+v", s.Counters())
	}
	s.SetLimit(1) // the most negative number of available permits
	if got := s.Counters(); got.Limit != 1 || got.InFlight != limit.MaxLimit {
		t.Fatalf("got %+v", got)
	}
	for range limit.MaxLimit {
		if s.TryAcquire() {
			t.Fatalf("a permit too many at %+v", s.Counters())
		}
		s.Release()
	}
	if got := s.Counters(); got.InFlight != 0 || got.Completed != limit.MaxLimit {
		t.Fatalf("got %+v", got)
	}
	isFree(t, s)
}

func TestZeroSemaphore(t *testing.T) {
	const want = "limit: Semaphore not made by New"
	for name, f := range map[string]func(s *limit.Semaphore){
		"Acquire":  func(s *limit.Semaphore) { s.Acquire(context.Background()) },
		"Release":  (*limit.Semaphore).Release,
		"Cancel":   (*limit.Semaphore).Cancel,
		"Renew":    func(s *limit.Semaphore) { s.Renew() },
		"SetLimit": func(s *limit.Semaphore) { s.SetLimit(1) },
		"Counters": func(s *limit.Semaphore) { s.Counters() },
	} {
		if got := refuse(func() { f(new(limit.Semaphore)) }); got != want {
			t.Errorf("%s panics with %v, want %q", name, got, want)
		}
	}
	if new(limit.Semaphore).TryAcquire() {
		t.Error("TryAcquire got a permit")
	}
}

// TestMisuse: giving back what nobody holds panics and changes nothing, whatever
// the state.
func TestMisuse(t *testing.T) {
	s := limit.New(2)
	check := func(when string) {
		t.Helper()
		before := s.Counters()
		if got := refuse(s.Release); got != releaseMisuse {
			t.Errorf("%s: Release panics with %v", when, got)
		}
		if got := refuse(s.Cancel); got != cancelMisuse {
			t.Errorf("%s: Cancel panics with %v", when, got)
		}
		if got := refuse(func() { s.Renew() }); got != renewMisuse {
			t.Errorf("%s: Renew panics with %v", when, got)
		}
		if got := s.Counters(); got != before {
			t.Errorf("%s: state %+v, want %+v", when, got, before)
		}
		isFree(t, s)
	}
	check("new")
	s.TryAcquire()
	s.Release()
	check("after use")
	s.SetLimit(5)
	check("raised")
	s.SetLimit(1)
	check("lowered")
}

// TestConcurrentMisuse: goroutines release what they do not hold, while others
// work and the limit changes. Every Release that returns has given a permit back
// and every one that panics has not, so the books balance.
func TestConcurrentMisuse(t *testing.T) {
	s := limit.New(2)
	var acquired, released, refused [8]int
	together(9, func(i int) {
		if i == 8 {
			for n := range 2000 {
				s.SetLimit(1 + n%3)
			}
			return
		}
		for n := range 2000 {
			if n%4 != 0 || i%2 == 0 {
				if !s.TryAcquire() {
					continue
				}
				acquired[i]++
			}
			if refuse(s.Release) == nil {
				released[i]++
			} else {
				refused[i]++
			}
		}
	})
	held, completed, panics := 0, 0, 0
	for i := range 8 {
		held += acquired[i] - released[i]
		completed += released[i]
		panics += refused[i]
	}
	got := s.Counters()
	if got.InFlight != held || got.Completed != int64(completed) {
		t.Errorf("got %+v, want %d in flight, %d completed", got, held, completed)
	}
	if panics == 0 {
		t.Error("no Release was refused: this test tests nothing")
	}
	for range held {
		s.Release()
	}
	isFree(t, s)
}

func TestNoAllocation(t *testing.T) {
	s := limit.New(4)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for name, f := range map[string]func(){
		"Acquire, Release":    func() { s.Acquire(ctx); s.Release() },
		"TryAcquire, Release": func() { s.TryAcquire(); s.Release() },
		"TryAcquire, Cancel":  func() { s.TryAcquire(); s.Cancel() },
		"Renew":               func() { s.TryAcquire(); s.Renew(); s.Release() },
		"TryAcquire in vain": func() {
			for s.TryAcquire() {
			}
			for range s.Limit() {
				s.Release()
			}
		},
		"SetLimit": func() { s.SetLimit(5); s.SetLimit(4) },
		"Counters": func() { s.Counters() },
	} {
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s: %v allocations, want 0", name, n)
		}
	}
}

func TestDoneContext(t *testing.T) {
	why := errors.New("why")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(why)
	s := limit.New(1)
	if err := s.Acquire(ctx); err != why {
		t.Errorf("with a permit free: %v, want %v", err, why)
	}
	s.TryAcquire()
	if err := s.Acquire(ctx); err != why {
		t.Errorf("with no permit free: %v, want %v", err, why)
	}
	s.Release()
	isFree(t, s)
}

// TestGiveUp: the waiter in the middle gives up; the others are served in order.
func TestGiveUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := limit.New(1)
		s.TryAcquire()
		why := errors.New("too long")
		var order []int
		for i := range 4 {
			ctx := context.Background()
			if i == 0 || i == 2 || i == 3 {
				var cancel func()
				ctx, cancel = context.WithTimeoutCause(ctx, time.Duration(1+i)*time.Second, why)
				defer cancel()
			}
			go func() {
				err := s.Acquire(ctx)
				if i == 1 && err == nil {
					order = append(order, i)
				} else if i != 1 && err != why {
					t.Errorf("waiter %d: %v, want %v", i, err, why)
				}
			}()
			synctest.Wait()
		}
		for _, want := range []int{4, 3, 3, 2, 1} { // waiters 0, 2 and 3 leave after 1, 3 and 4 s
			synctest.Wait()
			if got := s.Counters().Waiting; got != want {
				t.Errorf("%d waiting, want %d", got, want)
			}
			time.Sleep(time.Second)
		}
		s.Release()
		synctest.Wait()
		if len(order) != 1 || order[0] != 1 {
			t.Errorf("served %v, want [1]", order)
		}
		s.Release()
		isFree(t, s)
	})
}

// TestGiveUpRace: a waiter gives up at the moment at which it is served. Whoever
// wins, the permit is still there.
func TestGiveUpRace(t *testing.T) {
	s := limit.New(1)
	kept := 0
	for range 3000 {
		s.TryAcquire()
		ctx, cancel := context.WithCancel(context.Background())
		got := make(chan error)
		go func() { got <- s.Acquire(ctx) }()
		for s.Counters().Waiting == 0 {
			runtime.Gosched()
		}
		together(2, func(i int) {
			if i == 0 {
				cancel()
			} else {
				s.Release()
			}
		})
		if err := <-got; err == nil {
			kept++
			s.Release()
		} else if err != context.Canceled {
			t.Fatal(err)
		}
		isFree(t, s)
	}
	t.Logf("the waiter was served in %d of 3000 races", kept)
}

// TestNoBarging: as long as somebody waits, neither TryAcquire nor a newcomer
// gets a permit that comes free.
func TestNoBarging(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := limit.New(1)
		s.TryAcquire()
		served := false
		go func() {
			s.Acquire(context.Background())
			served = true
		}()
		synctest.Wait()
		s.Release() // belongs to the waiter from here on, although it has not run yet
		if s.TryAcquire() {
			t.Error("TryAcquire overtook a waiter")
		}
		synctest.Wait()
		if !served {
			t.Error("the waiter was not served")
		}
		s.Release()
		isFree(t, s)
	})
}

// TestNoBargingInBetween: a permit that was given back while somebody waits is
// free for a moment, until Release has got hold of the mutex. It is not for
// anybody else.
func TestNoBargingInBetween(t *testing.T) {
	s := limit.New(1)
	s.TryAcquire()
	served := make(chan error)
	go func() { served <- s.Acquire(context.Background()) }()
	for s.Counters().Waiting == 0 {
		time.Sleep(0)
	}
	thaw := s.Freeze()
	released := make(chan struct{})
	go func() {
		s.Release()
		close(released)
	}()
	for s.Available() == 0 {
		time.Sleep(0)
	}
	if s.TryAcquire() {
		t.Error("TryAcquire overtook a waiter")
	}
	thaw()
	<-released
	<-served
	s.Release()
	isFree(t, s)
}

// A place can be waited in again and again, whatever ended the wait before.
func TestAcquireIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := limit.New(1)
		var w limit.Waiter
		if err := s.AcquireIn(t.Context(), &w); err != nil { // without a wait
			t.Fatal(err)
		}
		for i := range 100 {
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			switch i % 4 {
			case 0: // in vain
				if err := s.AcquireIn(ctx, &w); !errors.Is(err, context.DeadlineExceeded) {
					t.Fatalf("wait %d: %v", i, err)
				}
			case 1: // done at the call
				cancel()
				if err := s.AcquireIn(ctx, &w); !errors.Is(err, context.Canceled) {
					t.Fatalf("wait %d: %v", i, err)
				}
			case 2: // a permit and the end at the same moment: either, but all of it
				time.AfterFunc(2*time.Second, s.Release)
				err := s.AcquireIn(ctx, &w)
				synctest.Wait() // until the other has released
				if err != nil && !s.TryAcquire() {
					t.Fatalf("wait %d: %v, and the permit is lost", i, err)
				}
			default:
				began := time.Now()
				time.AfterFunc(time.Second, s.Release)
				if err := s.AcquireIn(ctx, &w); err != nil || time.Since(began) != time.Second {
					t.Fatalf("wait %d: %v after %v", i, err, time.Since(began))
				}
			}
			cancel()
		}
		if n := s.Counters().InFlight; n != 1 {
			t.Errorf("%d in flight, want 1", n)
		}
	})
}

// Who was woken with others in one go can wait again, before and behind any.
func TestAcquireInTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const waiters, rounds = 8, 50
		s := limit.New(1)
		if err := s.Acquire(t.Context()); err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for i := range waiters {
			all.Go(func() {
				var w limit.Waiter
				for round := range rounds {
					time.Sleep(time.Duration((i*7+round*3)%waiters) * time.Millisecond)
					if err := s.AcquireIn(t.Context(), &w); err != nil {
						t.Error(err)
						return
					}
					time.Sleep(time.Millisecond)
					s.Release()
				}
			})
		}
		for round := range rounds {
			time.Sleep(5 * time.Millisecond)
			s.SetLimit(2 + round%waiters) // wakes many
			time.Sleep(5 * time.Millisecond)
			s.SetLimit(1)
		}
		s.SetLimit(waiters)
		all.Wait()
		if c := s.Counters(); c.InFlight != 1 || c.Waiting != 0 || c.Completed != waiters*rounds {
			t.Errorf("%+v", c)
		}
	})
}

// A place where a caller has waited serves the next one, as long as others wait.
func TestWaitAllocates(t *testing.T) {
	s := limit.New(1)
	s.TryAcquire()
	ctx := t.Context()
	const callers, rounds = 64, 500
	var all sync.WaitGroup
	var a, b runtime.MemStats
	for range callers {
		all.Go(func() {
			for range rounds {
				if err := s.Acquire(ctx); err != nil {
					t.Error(err)
					return
				}
				s.Release()
			}
		})
	}
	for s.Counters().Waiting < callers {
		runtime.Gosched()
	}
	runtime.ReadMemStats(&a)
	s.Release()
	all.Wait()
	runtime.ReadMemStats(&b)
	if n := b.Mallocs - a.Mallocs; n > callers*rounds/4 {
		t.Errorf("%d waits allocated %d objects", callers*rounds, n)
	}
}

// Channels belong to the synctest bubble that made them, so a place must not come into another.
func TestWaitInTwoBubbles(t *testing.T) {
	s := limit.New(1)
	for range 2 {
		synctest.Test(t, func(t *testing.T) {
			s.TryAcquire()
			for range 3 {
				go func() {
					if err := s.Acquire(t.Context()); err == nil {
						time.Sleep(time.Second)
						s.Release()
					}
				}()
			}
			synctest.Wait()
			s.Release()
			time.Sleep(4 * time.Second)
			if c := s.Counters(); c.InFlight != 0 || c.Waiting != 0 {
				t.Errorf("%+v", c)
			}
		})
	}
}

// A place that was lent serves nobody else.
func TestLentPlaceIsNotLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := limit.New(1)
		s.TryAcquire()
		var place limit.Waiter
		var order []int
		wait := func(i int, w *limit.Waiter) {
			if err := s.AcquireIn(t.Context(), w); err != nil {
				t.Error(err)
			}
			order = append(order, i)
			time.Sleep(time.Second)
			s.Release()
		}
		go func() {
			wait(1, &place)
			wait(5, &place)
		}()
		synctest.Wait()
		go wait(2, nil)
		synctest.Wait()
		s.Release()
		synctest.Wait()
		go wait(3, nil) // the place of the first is free now, but is not ours
		synctest.Wait()
		go wait(4, nil)
		time.Sleep(6 * time.Second)
		synctest.Wait()
		if !slices.Equal(order, []int{1, 2, 3, 4, 5}) || s.Counters().InFlight != 0 {
			t.Errorf("%v, %+v", order, s.Counters())
		}
	})
}

// Only the first wait in a place allocates.
func TestAcquireInAllocates(t *testing.T) {
	s := limit.New(1)
	var w limit.Waiter
	ctx := context.Background()
	const waits = 2000
	other := make(chan struct{})
	go func() {
		defer close(other)
		for range waits {
			for s.Counters().Waiting == 0 {
				runtime.Gosched()
			}
			s.Release()
		}
	}()
	if err := s.Acquire(ctx); err != nil {
		t.Fatal(err)
	}
	var a, b runtime.MemStats
	runtime.ReadMemStats(&a)
	for range waits {
		if err := s.AcquireIn(ctx, &w); err != nil {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&b)
	<-other
	if n := b.Mallocs - a.Mallocs; n > waits/4 {
		t.Errorf("%d waits allocated %d objects", waits, n)
	}
}

func ExampleSemaphore_AcquireIn() {
	s := limit.New(2)
	var place limit.Waiter
	for range 3 {
		if err := s.AcquireIn(context.Background(), &place); err != nil {
			fmt.Println(err)
			return
		}
		go s.Release()
	}
	fmt.Println("done")
	// Output: done
}
