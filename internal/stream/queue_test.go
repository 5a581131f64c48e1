package stream_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/sweetspot-go/sweetspot/internal/stream"
)

// TestQueue: items come out in order, in parts, with their numbers, also those that lay in the
// ring as it grew, and the ring keeps none of them.
func TestQueue(t *testing.T) {
	var q stream.Queue[*int]
	q.Reset(100, 10)
	for i := range 21 {
		if i == 10 {
			q.Room(20)
		}
		if ok := q.Push(&i); ok != (i < 20) {
			t.Fatalf("item %d of at most 20 is taken: %v", i, ok)
		}
	}
	for _, c := range []struct{ k, share, least, first, n int }{
		{1000, 4, 0, 100, 5}, // a quarter
		{2, 4, 0, 105, 2},
		{1000, 3, 0, 107, 5}, // a third of 13, rounded up
		{1000, 4, 6, 112, 6},
		{1000, 1, 0, 118, 2},
		{1000, 1, 3, 120, 0},
	} {
		items, first := q.Claim(c.k, c.share, c.least)
		if first != c.first || len(items) != c.n {
			t.Errorf("%+v: %d items from %d on", c, len(items), first)
		}
		for i, v := range items {
			if *v != first-100+i {
				t.Errorf("%+v: item %d is %d", c, first+i, *v)
			}
		}
	}
	if n := q.Kept(func(v *int) bool { return v == nil }); n > 0 || q.Len() != 0 {
		t.Errorf("%d items are kept, and %d left", n, q.Len())
	}
}

// TestQueueTogether: with one producer and several consumers each item comes out once,
// also while the ring grows.
func TestQueueTogether(t *testing.T) {
	const n = 20_000
	var q stream.Queue[int]
	q.Reset(0, 3)
	seen := make([]atomic.Int32, n)
	var left atomic.Int64
	left.Store(n)
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for left.Load() > 0 {
				items, first := q.Claim(7, 3, 0)
				for i, v := range items {
					if v != first+i {
						t.Errorf("item %d is %d", first+i, v)
					}
					seen[v].Add(1)
				}
				if len(items) == 0 {
					runtime.Gosched()
				}
				left.Add(int64(-len(items)))
			}
		})
	}
	for i := 0; i < n; {
		if i == n/2 {
			q.Room(300)
		}
		if q.Push(i) {
			i++
		} else {
			runtime.Gosched()
		}
	}
	wg.Wait()
	for i := range seen {
		if got := seen[i].Load(); got != 1 {
			t.Fatalf("item %d came out %d times", i, got)
		}
	}
}
