//go:build ignore

// Work with each of the pitfalls, for the lines of observations that are made up.
package work

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/sweetspot-go/sweetspot"
	"golang.org/x/sync/errgroup"
)

func fib(n int) int {
	if n < 2 {
		return n
	}
	a := make(chan int)
	go func() { a <- fib(n - 1) }()
	b := fib(n - 2)
	return <-a + b
}

func hand(n int) (sum int) {
	items := make(chan int)
	go func() {
		for i := range n {
			items <- i
		}
		close(items)
	}()
	for i := range items {
		sum += i
	}
	return sum
}

func add(sums []int64, n int) {
	var all sync.WaitGroup
	for w := range sums {
		all.Go(func() {
			for i := range n {
				sums[w] += int64(i)
			}
		})
	}
	all.Wait()
}

type counter struct {
	mu   sync.Mutex
	n    map[string]int
	hits atomic.Int64
}

func (c *counter) count(key string) {
	c.mu.Lock()
	c.n[key]++
	c.mu.Unlock()
	c.hits.Add(1)
}

func each(units []int, do func(int)) {
	var g errgroup.Group
	for _, u := range units {
		g.Go(func() error { do(u); return nil })
	}
	g.Wait()
}

func mend(ctx context.Context, units []int, do func(context.Context, int) error) error {
	return sweetspot.ForEach(ctx, units, do)
}

func hash(in <-chan int) {
	for range in {
		buffer := make([]byte, 512)
		use(buffer)
	}
}

func use([]byte)

func acquire(ctx context.Context, free chan int, waiting []chan struct{}) int {
	done := ctx.Done()
	select {
	case <-done:
		return 0
	default:
	}
	select {
	case <-ctx.Done():
	case n := <-free:
		return n
	}
	select {
	case waiting[0] <- struct{}{}:
	default:
	}
	select {
	case <-waiting[1]:
	default:
	}
	<-done
	return 1
}

// turnstile lets goroutines through one by one, in the order in which they come.
type turnstile struct {
	next, now atomic.Int64
}

func (t *turnstile) enter() {
	for mine := t.next.Add(1); t.now.Load() != mine-1; {
	}
}

func (t *turnstile) leave() { t.now.Add(1) }
