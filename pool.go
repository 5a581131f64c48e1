package sweetspot

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"runtime"
	"sync"
	"time"
)

// ErrClosed is the error of a Submit to a [Pool] that takes no more values. After
// a failure of the pool the error wraps both ErrClosed and what happened.
var ErrClosed = errors.New("sweetspot: the pool is closed")

// A Pool is a number of long-lived workers that share the values submitted to it.
// Each worker is one call of a function that ranges over its values, so what a
// worker needs for itself, such as a connection, is a local variable there.
//
// Workers start when values wait, up to GOMAXPROCS. If values go on waiting after
// some milliseconds, a [Limiter] of the pool decides how many work, which for
// values that wait is many more; [Fixed] or a [*Limiter] as option bounds them.
// Workers that are surplus, because there is nothing to do or the limit has
// fallen, park within their range, keeping what they hold, and go on when they
// are needed again. A parked worker holds no permit.
//
// Close a Pool, or end its context; otherwise its workers stay parked. All
// methods may be called by any number of goroutines, but Close not from a worker.
type Pool[T any] struct {
	ctx    callContext
	body   func(context.Context, iter.Seq[T]) error
	set    settings
	recall recall

	mu      sync.Mutex
	limiter *Limiter
	shift   time.Duration // from the Limiter's clock to began
	began   time.Time     // the first Submit; zero before

	ring    []T // its length is a power of two
	head, n int
	spilled []T // taken back from workers that are stuck
	room    int // values that may lie in ring
	cost    float64

	workers   []*poolWorker[T]
	idle      []*poolWorker[T] // parked; the last came last
	active    int              // neither parked nor on the way there
	lingering int              // of those, without work, looking for some
	scouting  bool             // a worker waits for a permit
	first     *submission[T]   // those who wait for room
	last      *submission[T]

	timer   *time.Timer
	armed   bool
	claims  int           // from ring, in all
	seen    int           // claims at the last look
	backlog time.Duration // since when each look has found values, 0 if the last did not

	closed   bool  // no more values
	refusal  error // of Submit, once closed or stopped
	stopped  bool  // no more work
	err      error
	panicked *PanicError
	goexit   bool
	quit     context.Context // ends when nobody need wait for a permit any more
	dismiss  context.CancelFunc
	unwatch  func() bool
	running  sync.WaitGroup
}

const (
	// poolTime is for how long the workers can go on with what waits in the
	// queue: some times as long as it takes to wake a submitter.
	poolTime = 100 * time.Microsecond
	// poolMost bounds the queue where values take next to no time.
	poolMost = 4096
)

// NewPool returns a Pool whose workers are calls of work. It starts no goroutine
// before the first Submit. It panics if work is nil or the options contradict
// each other; [Fixed], [Grain] and a [*Limiter] have a meaning here.
//
// The range of work ends after Close, when ctx is done, and when a worker has
// failed; then work should return. If it returns an error, the pool fails: ctx of
// the other workers is cancelled, values that were not begun are dropped, and
// Close returns that error. A panic or [runtime.Goexit] does the same, and
// Close passes it on. If work returns nil before its range has ended, others do
// the rest; but one that has not even taken a value is a failure.
//
// When ctx is done, workers stop after the value that they are at, the others
// are dropped, and Submit and Close return [context.Cause] of ctx.
func NewPool[T any](ctx context.Context, work func(ctx context.Context, tasks iter.Seq[T]) error, opts ...Option) *Pool[T] {
	if work == nil {
		panic("sweetspot: NewPool: the function is nil")
	}
	p := &Pool[T]{body: work, set: settingsOf("NewPool", opts)}
	p.ctx.Context, p.ctx.permit = ctx, p.set.limiter
	p.limiter = p.set.limiter
	p.recall.load(reflect.ValueOf(work).Pointer())
	p.room = 1
	if p.limiter == nil {
		p.room = p.bound()
	}
	return p
}

// bound returns how many may work as long as no Limiter decides.
func (p *Pool[T]) bound() int {
	if p.set.fixed > 0 {
		return p.set.fixed
	}
	return runtime.GOMAXPROCS(0)
}

// A submission waits for room.
type submission[T any] struct {
	v          T
	prev, next *submission[T]
	done       chan struct{} // closed when it was taken or refused
	err        error
	settled    bool
}

// Submit hands v to the workers. While the queue is full, it waits, in the order
// of arrival, until there is room or ctx is done. The queue holds about what the
// workers do in 0.1 ms, and one value for each at least.
//
// It returns nil if v was taken: then a worker will be given v, unless the pool
// fails or its context ends. If ctx is done first it returns [context.Cause] of
// ctx; if the pool's context is done, its cause; after Close or a failure,
// [ErrClosed], alone or with the failure. In all these cases v was not taken.
//
// Without waiting it takes some 50 ns and allocates nothing. Who submits from a
// worker of the same pool can wait for himself, and so can who holds a permit of
// the pool's Limiter.
func (p *Pool[T]) Submit(ctx context.Context, v T) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	p.mu.Lock()
	if p.accepts() {
		p.add(v)
		p.summon()
		p.mu.Unlock()
		return nil
	}
	if p.refusal != nil {
		defer p.mu.Unlock()
		return p.refusal
	}
	s := &submission[T]{v: v, prev: p.last, done: make(chan struct{})}
	if p.last != nil {
		p.last.next = s
	} else {
		p.first = s
	}
	p.last = s
	p.mu.Unlock()

	select {
	case <-s.done:
		return s.err
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if s.settled {
		return s.err
	}
	p.remove(s)
	return context.Cause(ctx)
}

// TrySubmit hands v to the workers if there is room in the queue, and reports
// whether it did. It never blocks.
func (p *Pool[T]) TrySubmit(v T) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.accepts() {
		return false
	}
	p.add(v)
	p.summon()
	return true
}

// accepts reports whether a value may be added now. p.mu is held.
func (p *Pool[T]) accepts() bool {
	if p.refusal != nil {
		return false
	}
	if p.began.IsZero() && !p.begin() {
		return false
	}
	return p.n < p.room && p.first == nil
}

// begin prepares for the first value. p.mu is held.
func (p *Pool[T]) begin() bool {
	ctx := p.ctx.Context
	if ctx.Err() != nil {
		p.stop(context.Cause(ctx))
		return false
	}
	p.began = time.Now()
	if p.limiter != nil {
		p.shift = p.began.Sub(p.limiter.epoch)
	}
	p.quit, p.dismiss = context.WithCancel(ctx)
	if ctx.Done() != nil {
		p.unwatch = context.AfterFunc(ctx, func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.stop(context.Cause(ctx))
			p.refusal = context.Cause(ctx)
		})
	}
	return true
}

// add puts v into the queue. p.mu is held.
func (p *Pool[T]) add(v T) {
	if p.n == len(p.ring) {
		ring := make([]T, max(16, 2*len(p.ring)))
		k := copy(ring, p.ring[p.head:])
		copy(ring[k:], p.ring[:p.head])
		p.ring, p.head = ring, 0
	}
	p.ring[(p.head+p.n)&(len(p.ring)-1)] = v
	p.n++
}

// remove takes s off those who wait for room. p.mu is held.
func (p *Pool[T]) remove(s *submission[T]) {
	if s.prev != nil {
		s.prev.next = s.next
	} else {
		p.first = s.next
	}
	if s.next != nil {
		s.next.prev = s.prev
	} else {
		p.last = s.prev
	}
}

// admit takes the values of those who wait for room, as far as there is some.
// p.mu is held.
func (p *Pool[T]) admit() {
	for s := p.first; s != nil && p.n < p.room && !p.stopped; s = p.first {
		p.remove(s)
		p.add(s.v)
		s.settled = true
		close(s.done)
	}
}

// refuse answers Submit with err from now on, also to those who wait. p.mu is
// held.
func (p *Pool[T]) refuse(err error) {
	if p.refusal == nil {
		p.refusal = err
	}
	for s := p.first; s != nil; s = p.first {
		p.remove(s)
		s.settled, s.err = true, p.refusal
		close(s.done)
	}
}

// stop ends all work because of err. p.mu is held.
func (p *Pool[T]) stop(err error) {
	if p.stopped {
		return
	}
	p.stopped = true
	p.err = err
	if ctx := p.ctx.Context; ctx.Err() != nil {
		p.refuse(context.Cause(ctx))
	} else {
		p.refuse(fmt.Errorf("%w, for it has failed: %w", ErrClosed, err))
	}
	clear(p.ring)
	p.n, p.spilled = 0, nil
	p.ctx.cancel(err)
	p.sendHome()
}

// sendHome lets those who are parked end. p.mu is held.
func (p *Pool[T]) sendHome() {
	if p.dismiss != nil {
		p.dismiss()
	}
	for _, w := range p.idle {
		w.wake <- struct{}{}
	}
	p.idle = nil
}

// Close takes no more values, waits until the workers have done those that it
// took and have returned, and returns the first error, or nil. Submissions that
// wait for room are refused. If a worker panicked, Close panics with a
// [*PanicError]; if one called [runtime.Goexit], so does Close. Nothing runs
// after Close, and to call it again does the same again.
func (p *Pool[T]) Close() error {
	p.mu.Lock()
	p.closed = true
	p.refuse(ErrClosed)
	if p.unclaimed() == 0 {
		p.sendHome()
	} else {
		p.summon()
	}
	p.mu.Unlock()
	p.running.Wait()

	p.mu.Lock()
	defer p.mu.Unlock()
	p.end()
	switch {
	case p.panicked != nil:
		panic(p.panicked)
	case p.goexit:
		runtime.Goexit()
	case p.err == nil && p.ctx.Context.Err() != nil && p.began.IsZero():
		return context.Cause(p.ctx.Context)
	}
	return p.err
}

// end ends what belongs to the pool; all workers have returned. p.mu is held.
func (p *Pool[T]) end() {
	if p.unwatch != nil {
		p.unwatch()
	}
	if p.timer != nil {
		p.timer.Stop()
	}
	if p.dismiss != nil {
		p.dismiss()
	}
	if l := p.limiter; l != nil && l != p.set.limiter {
		p.recall.limit = l.standing()
		p.recall.cost = p.cost
		p.recall.keep()
		l.retire()
	}
	p.ctx.end()
}
