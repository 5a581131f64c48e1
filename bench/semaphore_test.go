package bench

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/limit"
	"golang.org/x/sync/semaphore"
)

// A sem is what the benchmarks of semaphores need of one.
type sem interface {
	Acquire(context.Context) error
	Release()
}

// semaphores are the implementations compared. To add one, add a line.
var semaphores = []struct {
	name string
	make func(n int) sem
}{
	{"limit", func(n int) sem { return limit.New(n) }},
	// Its limit is set manually so that all do the same; it measures as ever.
	{"limiter", func(n int) sem { return setTo(sweetspot.New(), n) }},
	{"xsync", func(n int) sem { return xsync{semaphore.NewWeighted(int64(n))} }},
	{"channel", func(n int) sem { return make(channel, n) }},
	{"none", func(int) sem { return none{} }}, // no limit at all: the floor
}

type xsync struct{ *semaphore.Weighted }

func (s xsync) Acquire(ctx context.Context) error { return s.Weighted.Acquire(ctx, 1) }
func (s xsync) Release()                          { s.Weighted.Release(1) }

// A channel is the usual idiom: a buffered channel, filled to acquire.
type channel chan struct{}

func (c channel) Acquire(ctx context.Context) error {
	select {
	case c <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
func (c channel) Release() { <-c }

type none struct{}

func (none) Acquire(context.Context) error { return nil }
func (none) Release()                      {}

// loads are the situations. All goroutines share one semaphore, and take and
// return a permit in a loop.
var loads = []struct {
	name       string
	goroutines int
	limit      int
	work       func() // done with the permit held, if not nil
}{
	{"uncontended", 1, 8, nil},
	{"64_at_2_1us", 64, 2, func() { runtime.KeepAlive(spin(oneMicrosecond())) }},
	{"64_at_2_yield", 64, 2, runtime.Gosched},
	{"64_at_64", 64, 64, nil},
}

func BenchmarkSemaphore(b *testing.B) {
	oneMicrosecond()
	for _, impl := range semaphores {
		for _, load := range loads {
			b.Run(impl.name+"/"+load.name, func(b *testing.B) {
				s := impl.make(load.limit)
				ctx := context.Background()
				var wg sync.WaitGroup
				b.ReportAllocs()
				b.ResetTimer()
				for g := range load.goroutines {
					n := b.N / load.goroutines
					if g < b.N%load.goroutines {
						n++
					}
					wg.Go(func() {
						for range n {
							if err := s.Acquire(ctx); err != nil {
								b.Error(err)
								return
							}
							if load.work != nil {
								load.work()
							}
							s.Release()
						}
					})
				}
				wg.Wait()
			})
		}
	}
}

// spin computes for n rounds.
//
//go:noinline
func spin(n int) uint64 {
	x := uint64(n) | 1
	for range n {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

// oneMicrosecond returns how many rounds of spin take a microsecond here,
// measured once: the fastest of several tries, since disturbances only slow.
var oneMicrosecond = sync.OnceValue(func() int {
	const rounds = 100_000
	best := time.Duration(1 << 62)
	for range 20 {
		start := time.Now()
		runtime.KeepAlive(spin(rounds))
		best = min(best, time.Since(start))
	}
	return int(rounds * time.Microsecond / best)
})
