package frontier

import (
	"sync/atomic"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/call"
)

// The constants that decide on phases.
const (
	SharedWorth = sharedWorth
	ChunkTime   = call.ChunkTime
)

// Sharable is sharable.
func Sharable(cost float64) bool { return sharable(cost) }

// A Queue is a queue, with its methods in the open.
type Queue struct {
	queue[int]
	Size atomic.Int64
}

// NewQueue returns an empty queue of so many active walkers, whose caller is woken below
// low keys.
func NewQueue(active, low int) *Queue {
	q := new(Queue)
	q.size, q.active, q.low = &q.Size, active, low
	q.wake = make(chan struct{}, 1)
	return q
}

func (q *Queue) Add(keys ...int) { q.add(keys) }

func (q *Queue) Take(least, most int) []int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.take([]int{-1, -2}, least, most)
}

func (q *Queue) Leave() { q.leave() }
func (q *Queue) Close() { q.closed = true }

func (q *Queue) Over() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.over()
}

// Woken reports whether the caller has been woken, and uses the wake-up.
func (q *Queue) Woken() bool {
	select {
	case <-q.wake:
		return true
	default:
		return false
	}
}

// Taken returns how many of so many keys in the queue one of two walkers takes, where a visit
// costs that much.
func Taken(cost time.Duration, keys int) int {
	v := new(walk[int])
	v.call.Call = &call.Call{Config: new(call.Config)}
	v.queue.size, v.queue.active = &v.call.Unclaimed, 2
	v.queue.add(make([]int, keys))
	p := &walker[int]{v: v, w: new(call.Worker)}
	p.w.Sizer.Cost = float64(cost)
	p.take()
	return p.waiting()
}

// Postponed returns for how long helpers are put off after each of some shared phases in
// a row that took so long.
func Postponed(phases ...time.Duration) (off []time.Duration) {
	v := new(walk[int])
	now := time.Duration(0)
	for _, took := range phases {
		v.sharedAt = now
		v.speculateFrom.Store(0)
		now += took
		v.backOff(now)
		off = append(off, max(0, time.Duration(v.speculateFrom.Load())-now))
	}
	return off
}
