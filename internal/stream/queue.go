package stream

import (
	"sync"
	"sync/atomic"

	"github.com/sweetspot-go/sweetspot/internal/call"
)

// A queue hands the items of one producer to workers, first come, first served.
// Items are numbered from where reset put it.
//
// To push takes no lock: items come one by one, and each can be claimed at once,
// because the next may be long in coming, or come only when this one is done. To
// claim takes one for a whole chunk, which it copies, so that a slow chunk holds no
// place.
type queue[T any] struct {
	tail atomic.Int64 // of the next item to come; written by the producer
	room int64        // items that may lie in it; the producer's
	most int64        // tail may not reach this: head, when last looked at, and room; the producer's

	head atomic.Int64 // of the next item to claim; written with mu held
	mu   sync.Mutex
	ring []T // its length is a power of two

	batches [][]T // empty, of workers that have left
}

// reset makes an empty queue begin at number n.
func (q *queue[T]) reset(n int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.head.Store(n)
	q.tail.Store(n)
	q.most = n
}

// len returns how many items lie in it.
func (q *queue[T]) len() int64 { return max(0, q.tail.Load()-q.head.Load()) }

// push adds v unless the queue is full.
func (q *queue[T]) push(v T) bool {
	t := q.tail.Load()
	if t >= q.most {
		if q.most = q.head.Load() + q.room; t >= q.most {
			return false
		}
		if q.room > int64(len(q.ring)) {
			q.grow()
		}
	}
	q.ring[t&int64(len(q.ring)-1)] = v
	q.tail.Store(t + 1)
	return true
}

// fit returns batch, or an empty one in its place, with room for n items, of k that
// were asked for. Workers come and go, and chunks grow, so batches are made for what
// is asked for rather than for what there is, grow by no less than double, and are
// handed on. q.mu is held.
func (q *queue[T]) fit(batch []T, n, k int) []T {
	if last := len(q.batches) - 1; cap(batch) == 0 && last >= 0 {
		batch, q.batches = q.batches[last], q.batches[:last]
	}
	if cap(batch) < n {
		batch = make([]T, 0, max(n, 2*cap(batch), 2*min(k, call.BatchMost/2), 16))
	}
	return batch
}

// leave keeps the batch of a worker who leaves, for the next one.
func (q *queue[T]) leave(batch []T) {
	if cap(batch) == 0 {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.batches = append(q.batches, batch[:0])
}

// grow makes the ring as large as the room.
func (q *queue[T]) grow() {
	n := max(16, len(q.ring))
	for int64(n) < q.room {
		n *= 2
	}
	ring := make([]T, n)
	q.mu.Lock()
	defer q.mu.Unlock()
	for i, t := q.head.Load(), q.tail.Load(); i < t; i++ {
		ring[i&int64(n-1)] = q.ring[i&int64(len(q.ring)-1)]
	}
	q.ring = ring
}

// claim appends up to k items to batch, but no more than one of share parts of
// all, rounded up, unless least is more. It returns the number of the first.
func (q *queue[T]) claim(batch []T, k, share, least int) (items []T, first int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	h, t := q.head.Load(), q.tail.Load()
	n := min(int64(k), max((t-h+int64(share)-1)/int64(share), int64(least)), t-h)
	if n <= 0 {
		return batch, int(h)
	}
	batch = q.fit(batch, int(n), k)
	mask := int64(len(q.ring) - 1)
	for i := h; i < h+n; {
		part := q.ring[i&mask : min(i&mask+h+n-i, mask+1)]
		batch = append(batch, part...)
		clear(part) // or the ring would keep what they point to
		i += int64(len(part))
	}
	q.head.Store(h + n)
	return batch, int(h)
}
