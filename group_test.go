package sweetspot_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/sweetspot-go/sweetspot"
)

func TestGroupSize(t *testing.T) {
	if got := unsafe.Sizeof(sweetspot.Group{}); got > 64 {
		t.Errorf("a Group has %d bytes, want at most the 64 of a cache line", got)
	}
}

// TestGroupFirstError: Wait returns the error that came first, also later.
func TestGroupFirstError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, limit := range []int{-1, 1, 2, 10} {
			first, second := errors.New("first"), errors.New("second")
			var g sweetspot.Group
			g.SetLimit(limit)
			if err := g.Wait(); err != nil {
				t.Errorf("limit %d: an empty group: %v", limit, err)
			}
			g.Go(func() error { return nil })
			if err := g.Wait(); err != nil {
				t.Errorf("limit %d: no function failed, Wait: %v", limit, err)
			}
			if limit != 1 {
				g.Go(func() error { time.Sleep(2 * time.Second); return second })
			}
			g.Go(func() error { time.Sleep(time.Second); return first })
			g.Go(func() error { time.Sleep(3 * time.Second); return nil })
			for range 2 {
				if err := g.Wait(); err != first {
					t.Errorf("limit %d: Wait: %v, want %v", limit, err, first)
				}
				g.Go(func() error { return second })
			}
			g.Wait()
		}
	})
}

// TestGroupContext: the context ends with the first error, or with Wait, and
// functions are started nevertheless.
func TestGroupContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, ctx := sweetspot.NewGroup(t.Context())
		g.SetLimit(1)
		g.Go(func() error { time.Sleep(time.Second); return errStop })
		if ctx.Err() != nil {
			t.Errorf("the context has ended before the error: %v", ctx.Err())
		}
		called := 0
		for range 3 {
			g.Go(func() error {
				called++
				if got := context.Cause(ctx); got != errStop {
					t.Errorf("after the error the cause is %v, want %v", got, errStop)
				}
				return context.Cause(ctx)
			})
		}
		if err := g.Wait(); err != errStop || called != 3 {
			t.Errorf("Wait: %v after %d calls, want %v after 3", err, called, errStop)
		}
		g.Go(func() error { called++; return nil })
		if err := g.Wait(); err != errStop || called != 4 {
			t.Errorf("used again: Wait: %v after %d calls, want %v after 4", err, called, errStop)
		}
	})
	g, ctx := sweetspot.NewGroup(t.Context())
	g.Go(func() error { return nil })
	if err := g.Wait(); err != nil || context.Cause(ctx) != context.Canceled {
		t.Errorf("all went well: Wait: %v, cause %v, want %v", err, context.Cause(ctx), context.Canceled)
	}
	outer, cancel := context.WithCancelCause(t.Context())
	g, ctx = sweetspot.NewGroup(outer)
	cancel(errStop)
	if err := g.Wait(); err != nil || context.Cause(ctx) != errStop {
		t.Errorf("cancelled from outside: Wait: %v, cause %v, want %v", err, context.Cause(ctx), errStop)
	}
}

// TestGroupBlocks: Go returns when its function has been started, so one caller
// takes as long as its functions need.
func TestGroupBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, n := range []int{1, 3, 5} {
			var g sweetspot.Group
			g.SetLimit(n)
			began := time.Now()
			for i := range 30 {
				g.Go(func() error { time.Sleep(time.Second); return nil })
				if got, want := time.Since(began), time.Duration(i/n)*time.Second; got != want {
					t.Errorf("limit %d: call %d of Go returned after %v, want %v", n, i, got, want)
				}
			}
			g.Wait()
			if got, want := time.Since(began), 30/time.Duration(n)*time.Second; got != want {
				t.Errorf("limit %d: took %v, want %v", n, got, want)
			}
		}
	})
}

func TestGroupTryGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g sweetspot.Group
		sleep := func() error { time.Sleep(time.Second); return nil }
		try := func(when string, want bool) {
			t.Helper()
			if got := g.TryGo(sleep); got != want {
				t.Errorf("%s: TryGo = %t, want %t", when, got, want)
			}
		}
		for range 5 {
			try("no limit", true)
		}
		g.SetLimit(6)
		try("room for one", true)
		try("full", false)
		go g.Go(sleep)
		synctest.Wait()
		g.SetLimit(8)
		synctest.Wait()
		try("room for one beside the caller who waited", true)
		try("full again", false)
		pause(time.Second)
		try("all have ended", true)
		g.SetLimit(0)
		try("limit 0", false)
		g.Wait()
		try("limit 0, nothing runs", false)
		g.SetLimit(-3)
		try("no limit", true)
		if err := g.Wait(); err != nil {
			t.Error(err)
		}
	})
}

// TestGroupSetLimit: the limit moves while functions run and callers wait.
func TestGroupSetLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g sweetspot.Group
		var running atomic.Int64
		end := make(chan struct{})
		f := func() error {
			running.Add(1)
			<-end
			running.Add(-1)
			return nil
		}
		check := func(when string, want int64) {
			t.Helper()
			synctest.Wait()
			if got := running.Load(); got != want {
				t.Fatalf("%s: %d run, want %d", when, got, want)
			}
		}
		for range 4 {
			g.Go(f)
		}
		check("without a limit", 4)
		g.SetLimit(2)
		for range 20 {
			go g.Go(f)
		}
		check("those started without a limit count", 4)
		end <- struct{}{}
		end <- struct{}{}
		check("two have ended", 2)
		end <- struct{}{}
		check("one took the place of another", 2)
		g.SetLimit(5)
		check("raised to 5", 5)
		g.SetLimit(3)
		check("lowered to 3", 5)
		end <- struct{}{}
		end <- struct{}{}
		check("two have ended", 3)
		end <- struct{}{}
		check("and one more", 3)
		g.SetLimit(0)
		for want := int64(2); want >= 0; want-- {
			end <- struct{}{}
			check("nothing starts at 0", want)
		}
		g.Wait() // which does not wait for the callers
		g.SetLimit(1)
		check("raised to 1", 1)
		g.SetLimit(-1)
		check("no limit", 15)
		close(end)
		if err := g.Wait(); err != nil {
			t.Error(err)
		}
		check("at the end", 0)
	})
}

// TestGroupWait: Wait returns to everybody, and waits for a caller whose turn
// comes meanwhile.
func TestGroupWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g sweetspot.Group
		g.SetLimit(1)
		began := time.Now()
		for range 3 {
			go g.Go(func() error { time.Sleep(time.Second); return nil })
		}
		synctest.Wait()
		returned := 0
		var mu sync.Mutex
		together(10, func(int) {
			g.Wait()
			mu.Lock()
			returned++
			mu.Unlock()
			if got := time.Since(began); got != 3*time.Second {
				t.Errorf("Wait returned after %v, want 3s", got)
			}
		})
		if returned != 10 {
			t.Errorf("%d of 10 Waits returned", returned)
		}
	})
}

func TestGroupGoContext(t *testing.T) {
	type key struct{}
	synctest.Test(t, func(t *testing.T) {
		g, gctx := sweetspot.NewGroup(context.WithValue(t.Context(), key{}, "value"))
		never := func(context.Context) error { t.Error("called although its context was done"); return nil }

		done, cancel := context.WithCancelCause(t.Context())
		cancel(errStop)
		if err := g.GoContext(done, never); err != errStop {
			t.Errorf("context done before: %v, want %v", err, errStop)
		}

		g.SetLimit(1)
		failed := errors.New("failed")
		if err := g.GoContext(gctx, func(ctx context.Context) error {
			if ctx.Value(key{}) != "value" {
				t.Error("f was not given the context")
			}
			time.Sleep(3 * time.Second)
			return failed
		}); err != nil {
			t.Errorf("room for one: %v", err)
		}
		began := time.Now()
		soon, stop := context.WithTimeoutCause(gctx, time.Second, errStop)
		defer stop()
		if err := g.GoContext(soon, never); err != errStop || time.Since(began) != time.Second {
			t.Errorf("no room: %v after %v, want %v after 1s", err, time.Since(began), errStop)
		}
		// The function that fails ends the context of those that wait.
		if err := g.GoContext(gctx, never); err != failed {
			t.Errorf("the group failed: %v, want %v", err, failed)
		}
		if err := g.Wait(); err != failed {
			t.Errorf("Wait: %v, want %v", err, failed)
		}
		g.Go(func() error { return nil }) // the slot is there
		g.Wait()
	})
}

// TestGroupGiveUpRace: callers give up at the moment of their turn. Each function
// is called if and only if GoContext returned nil, and no slot is lost.
func TestGroupGiveUpRace(t *testing.T) {
	var g sweetspot.Group
	g.SetLimit(1)
	var called, started, gaveUp atomic.Int64
	for range 2000 {
		ctx, cancel := context.WithCancel(t.Context())
		end := make(chan struct{})
		g.Go(func() error { <-end; return nil })
		var callers sync.WaitGroup
		for range 2 {
			callers.Go(func() {
				err := g.GoContext(ctx, func(context.Context) error { called.Add(1); return nil })
				switch err {
				case nil:
					started.Add(1)
				case context.Canceled:
					gaveUp.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		together(2, func(i int) {
			runtime.Gosched()
			if i == 0 {
				cancel()
			} else {
				close(end)
			}
		})
		callers.Wait()
		g.Wait()
		if called.Load() != started.Load() {
			t.Fatalf("%d called, %d started", called.Load(), started.Load())
		}
	}
	t.Logf("%d started, %d gave up", started.Load(), gaveUp.Load())
	if started.Load()+gaveUp.Load() != 4000 {
		t.Errorf("%d started and %d gave up, want 4000 together", started.Load(), gaveUp.Load())
	}
}

// TestGroupGoexit: a function that ends its goroutine counts as one without an
// error, and its slot goes on.
func TestGroupGoexit(t *testing.T) {
	for _, under := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var g sweetspot.Group
			l := setTo(governed(law(keep)), 1)
			if under {
				g.SetLimiter(l)
			} else {
				g.SetLimit(1)
			}
			called := 0
			for range 10 {
				g.Go(func() error { time.Sleep(time.Second); called++; runtime.Goexit(); return errStop })
				g.Go(func() error { called++; return nil })
			}
			if err := g.Wait(); err != nil || called != 20 {
				t.Errorf("Wait: %v after %d calls, want nil after 20", err, called)
			}
			synctest.Wait()
			if s := l.Stats(); under && (s.Completed != 10 || s.Ignored != 10) {
				t.Errorf("%d completed, %d ignored, want 10 and 10", s.Completed, s.Ignored)
			}
			isFree(t, l)
		})
	}
}

// TestGroupPanic: a panic ends the program with the stack of the function, and
// Wait does not return before.
func TestGroupPanic(t *testing.T) {
	const child = "SWEETSPOT_TEST_GROUP_PANIC"
	if how := os.Getenv(child); how != "" {
		var g sweetspot.Group
		switch how {
		case "limit":
			g.SetLimit(1)
			g.Go(func() error { return nil })
			g.Go(func() error { return nil })
		case "limiter":
			g.SetLimiter(sweetspot.New())
		}
		g.Go(func() error { defer runtime.Gosched(); panicForTest(); return nil })
		g.Wait()
		fmt.Println("Wait returned")
		os.Exit(0)
	}
	for _, how := range []string{"none", "limit", "limiter"} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestGroupPanic$")
		cmd.Env = append(os.Environ(), child+"="+how)
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 2 {
			t.Errorf("%s: %v, want exit status 2", how, err)
		}
		for _, want := range []string{"panic: boom", "panicForTest"} {
			if !strings.Contains(string(out), want) {
				t.Errorf("%s: output without %q:\n%s", how, want, out)
			}
		}
		if strings.Contains(string(out), "Wait returned") {
			t.Errorf("%s: Wait returned before the program died", how)
		}
	}
}

//go:noinline
func panicForTest() { panic("boom") }

// TestGroupStress: everything at once on real threads. A gauge sees no more
// functions than the highest limit, and nothing is lost.
func TestGroupStress(t *testing.T) {
	for i := range 6 {
		procs, under := 1<<(i/2), i%2 == 1
		t.Run(fmt.Sprintf("procs=%d,limiter=%t", procs, under), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			const callers, rounds = 16, 200
			highest := 5
			var g sweetspot.Group
			l := setTo(governed(law(keep)), 3)
			if under {
				g.SetLimiter(l)
			}
			g.SetLimit(highest)
			var now gauge
			var given, called atomic.Int64
			work := func() error {
				now.enter()
				if called.Add(1)%3 == 0 {
					runtime.Gosched()
				}
				now.leave()
				return nil
			}
			together(callers+2, func(i int) {
				switch {
				case i == callers:
					for n := range rounds {
						g.SetLimit(n % (highest + 1))
						runtime.Gosched()
					}
					g.SetLimit(highest)
					return
				case i == callers+1:
					for range rounds {
						g.Wait()
						runtime.Gosched()
					}
					return
				}
				for n := range rounds {
					switch (n + i) % 4 {
					case 0:
						g.Go(work)
						given.Add(1)
					case 1:
						if g.TryGo(work) {
							given.Add(1)
						}
					case 2:
						g.Go(func() error { defer work(); runtime.Goexit(); return nil })
						given.Add(1)
					case 3:
						ctx, cancel := context.WithTimeout(t.Context(), time.Duration(n%3)*20*time.Microsecond)
						if g.GoContext(ctx, func(context.Context) error { return work() }) == nil {
							given.Add(1)
						}
						cancel()
					}
				}
			})
			if err := g.Wait(); err != nil {
				t.Error(err)
			}
			if given.Load() != called.Load() {
				t.Errorf("%d functions given, %d called", given.Load(), called.Load())
			}
			if under {
				highest = 3
			}
			if got := now.most.Load(); got > int64(highest) {
				t.Errorf("%d ran at most, want at most %d", got, highest)
			}
			isFree(t, l)
		})
	}
}

// TestGroupAllocations: what has to wait for its turn allocates nothing, and needs
// no go statement.
func TestGroupAllocations(t *testing.T) {
	var g sweetspot.Group
	g.SetLimit(1)
	f := func() error { return nil }
	const calls = 1000
	got := testing.AllocsPerRun(10, func() {
		for range calls {
			g.Go(f)
		}
		g.Wait()
	}) / calls
	if got > 0.8 {
		t.Errorf("%.2f allocations a call, want about 0.5: every other call waits", got)
	}
}
