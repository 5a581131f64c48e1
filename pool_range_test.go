package sweetspot_test

import (
	"context"
	"iter"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
)

// TestPoolKeptRange: a body that returns with its range under way, by [iter.Pull], leaves
// what it was not given to others. Its range gives nothing any more, and ends at once.
func TestPoolKeptRange(t *testing.T) {
	for name, first := range map[string]func(next func() (int, bool)) error{
		"under way":  func(next func() (int, bool)) error { next(); return nil },
		"not begun":  func(func() (int, bool)) error { return errBad },
		"with error": func(next func() (int, bool)) error { next(); return errBad },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const n = 100
				var given atomic.Int32
				var bodies int
				kept := make(chan func() (int, bool), 1)
				p := sweetspot.NewPool(t.Context(), func(_ context.Context, tasks iter.Seq[int]) error {
					if bodies++; bodies == 1 {
						next, stop := iter.Pull(tasks)
						t.Cleanup(stop)
						kept <- next
						return first(func() (int, bool) { given.Add(1); return next() })
					}
					for range tasks {
						given.Add(1)
					}
					return nil
				}, sweetspot.Fixed(1), sweetspot.MinChunk(8))
				for i := range n {
					if p.Submit(t.Context(), i) != nil {
						break
					}
				}
				synctest.Wait()
				next := <-kept
				if v, ok := next(); ok {
					t.Errorf("the range of a worker that had returned gave %d", v)
				}
				err := p.Close()
				if got := given.Load(); err == nil && got != n || err != nil && err != errBad {
					t.Errorf("%v; %d values given, want %d", err, got, n)
				}
			})
		})
	}
}

// TestPoolLeftRange: a body that returns while another goroutine waits in its range, for values or for a permit, leaves
// what comes to others. The range ends.
func TestPoolLeftRange(t *testing.T) {
	for name, c := range map[string]struct{ limited, permit bool }{
		"for values":          {false, false},
		"for values, limited": {true, false},
		"for a permit":        {true, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := setTo(sweetspot.New(), 1)
				var opt sweetspot.ChunkOption = sweetspot.Fixed(1)
				if c.limited {
					opt = l
				}
				var bodies, left, given atomic.Int32
				leave, ended := make(chan bool), make(chan bool)
				p := sweetspot.NewPool(t.Context(), func(_ context.Context, tasks iter.Seq[int]) error {
					if bodies.Add(1) > 1 {
						for range tasks {
							given.Add(1)
						}
						return nil
					}
					go func() {
						defer close(ended)
						for range tasks {
							left.Add(1)
						}
					}()
					<-leave
					return nil
				}, opt)
				p.Submit(t.Context(), 0)
				synctest.Wait()
				if c.permit {
					l.TryAcquire()
					p.Submit(t.Context(), 1)
					synctest.Wait()
				}
				close(leave)
				synctest.Wait()
				if c.permit {
					l.Release()
				}
				for range 20 {
					p.Submit(t.Context(), 2)
				}
				if err := p.Close(); err != nil {
					t.Error(err)
				}
				<-ended
				if all := left.Load() + given.Load(); left.Load() != 1 || all != 21 && !c.permit || all != 22 && c.permit {
					t.Errorf("the range that was left gave %d values, want 1; %d in all", left.Load(), all)
				}
				isFree(t, l)
			})
		})
	}
}

// TestPoolLeftRanges: bodies return at any time while another goroutine takes their values, and each value is given once.
func TestPoolLeftRanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, opt := range []sweetspot.ChunkOption{sweetspot.Fixed(1), sweetspot.Fixed(3), setTo(sweetspot.New(), 1), setTo(sweetspot.New(), 3)} {
			visits := make(once, 2000)
			var takers sync.WaitGroup
			p := sweetspot.NewPool(t.Context(), func(_ context.Context, tasks iter.Seq[int]) error {
				leave := make(chan bool, 1)
				takers.Go(func() {
					defer close(leave)
					for v := range tasks {
						visits[v].Add(1)
						if v%3 == 0 {
							select {
							case leave <- true:
							default:
							}
						}
					}
				})
				<-leave
				return nil
			}, opt)
			for v := range visits {
				if err := p.Submit(t.Context(), v); err != nil {
					t.Fatal(err)
				}
				if v%5 == 0 {
					runtime.Gosched()
				}
			}
			if err := p.Close(); err != nil {
				t.Fatal(err)
			}
			takers.Wait()
			visits.check(t, 1)
			if l, ok := opt.(*sweetspot.Limiter); ok {
				isFree(t, l)
			}
		}
	})
}

// TestPoolDoesNotLeaveValuesBehindOthers: a value that takes for ever holds up
// no other one, though values were so fast before that they went in batches.
func TestPoolDoesNotLeaveValuesBehindOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, opt := range []sweetspot.ChunkOption{sweetspot.Fixed(2), setTo(sweetspot.New(), 2)} {
			release := make(chan bool)
			var done atomic.Int32
			p := sweetspot.NewPool(t.Context(), each(func(_ context.Context, v int) {
				if v == 5000 {
					<-release
				}
				done.Add(1)
			}), opt)
			for i := range 10_000 {
				if err := p.Submit(t.Context(), i); err != nil {
					t.Fatal(err)
				}
			}
			pause(time.Second)
			if got := done.Load(); got != 9999 {
				t.Errorf("%d values done while one takes its time", got)
			}
			close(release)
			if err := p.Close(); err != nil || done.Load() != 10_000 {
				t.Error(err, done.Load())
			}
		}
	})
}

func TestPoolTakesValuesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, opt := range []sweetspot.ChunkOption{sweetspot.Fixed(1), sweetspot.Fixed(3), setTo(sweetspot.New(), 2)} {
			visits := make(once, 1000)
			p := sweetspot.NewPool(t.Context(), func(_ context.Context, tasks iter.Seq[int]) error {
				n := 0
				for v := range tasks {
					visits[v].Add(1)
					if n++; n == 7 {
						break
					}
				}
				for v := range tasks { // and once more
					visits[v].Add(1)
					break
				}
				return nil
			}, opt)
			for i := range visits {
				if err := p.Submit(t.Context(), i); err != nil {
					t.Fatal(err)
				}
			}
			if err := p.Close(); err != nil {
				t.Fatal(err)
			}
			visits.check(t, 1)
		}
	})
}
