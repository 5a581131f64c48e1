package pool

import (
	"context"
	"fmt"
	"iter"
	"runtime"
	"sync"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/call"
	"github.com/sweetspot-go/sweetspot/internal/loop"
	"github.com/sweetspot-go/sweetspot/internal/panics"
)

// A Pool is a number of long-lived workers that share the values submitted to it. It
// must be made by [Pool.Init].
type Pool[T any] struct {
	ctx     call.Context
	body    func(context.Context, iter.Seq[T]) error
	cfg     Config
	history call.History

	mu      sync.Mutex
	limiter *loop.Loop
	shift   time.Duration // from the limiter's clock to began
	began   time.Time     // the first Submit; zero before

	queue queue[T]
	cost  float64 // of a value, ns

	workers   []*worker[T]
	idle      []*worker[T] // parked; the last came last
	active    int          // neither parked nor on the way there
	lingering int          // of those, without work, looking for some
	waiter    *worker[T]   // waits for a permit, or nil
	starter   *worker[T]   // is in its setup, and will wait for a permit; or nil

	watch watch

	closed  bool  // no more values
	refusal error // of Submit, once closed or stopped
	stopped bool  // no more work
	err     error
	failure panics.Failure  // of a worker
	quit    context.Context // ends when nobody need wait for a permit any more
	dismiss context.CancelFunc
	unwatch func() bool
	running sync.WaitGroup
}

// Config says how a Pool runs.
type Config struct {
	call.Config
	Closed error // what Submit returns after Close
}

// Init sets a Pool up whose workers are calls of body, a function with that code.
func (p *Pool[T]) Init(ctx context.Context, body func(context.Context, iter.Seq[T]) error, key uintptr, cfg Config) {
	p.body, p.cfg = body, cfg
	p.limiter = cfg.Limiter
	p.ctx.Init(ctx, p.limiter)
	p.history.Load(key)
	p.queue.room = 1
	if p.limiter == nil {
		p.queue.room = p.bound()
	}
}

const (
	// roomTime is for how long the workers can go on with what waits in the
	// queue: some times as long as it takes to wake a submitter.
	roomTime = 100 * time.Microsecond
	// roomMost bounds the queue where values take next to no time.
	roomMost = 4096
)

// bound returns how many may work as long as no limiter decides.
func (p *Pool[T]) bound() int {
	if p.cfg.Fixed > 0 {
		return p.cfg.Fixed
	}
	return runtime.GOMAXPROCS(0)
}

// Submit hands v to the workers. It waits while the queue is full.
func (p *Pool[T]) Submit(ctx context.Context, v T) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	p.mu.Lock()
	if p.accepts() {
		p.queue.add(v)
		p.summon()
		p.mu.Unlock()
		return nil
	}
	if p.refusal != nil {
		defer p.mu.Unlock()
		return p.refusal
	}
	s := p.queue.wait(v)
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
	p.queue.leave(s)
	return context.Cause(ctx)
}

// TrySubmit hands v to the workers if there is room in the queue, and reports whether it
// did.
func (p *Pool[T]) TrySubmit(v T) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.accepts() {
		return false
	}
	p.queue.add(v)
	p.summon()
	return true
}

// accepts reports whether a value may be added now. p.mu is held.
func (p *Pool[T]) accepts() bool {
	if p.active == 0 && !p.closed { // it costs little beside the call of a worker
		p.heed()
	}
	if p.refusal != nil {
		return false
	}
	if p.began.IsZero() {
		p.begin()
	}
	return p.queue.accepts()
}

// heed stops the pool if its context is done. The goroutine of [context.AfterFunc] may come after
// calls that follow the end. So Close looks itself, before and after it waits, and a worker that
// returns, and Submit where nobody works. What Submit takes where somebody works is dropped soon after. p.mu is held.
func (p *Pool[T]) heed() {
	if ctx := p.ctx.Context; ctx.Err() != nil {
		p.stop(context.Cause(ctx))
		p.refusal = context.Cause(ctx)
	}
}

// begin prepares for the first value. p.mu is held.
func (p *Pool[T]) begin() {
	ctx := p.ctx.Context
	p.began = time.Now()
	if p.limiter != nil {
		p.shift = p.limiter.Clock()
	}
	p.quit, p.dismiss = context.WithCancel(ctx)
	if ctx.Done() != nil {
		p.unwatch = context.AfterFunc(ctx, func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.heed()
		})
	}
}

// refuse answers Submit with err from now on, also to those who wait. p.mu is
// held.
func (p *Pool[T]) refuse(err error) {
	if p.refusal == nil {
		p.refusal = err
	}
	p.queue.refuse(p.refusal)
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
		p.refuse(fmt.Errorf("%w, for it has failed: %w", p.cfg.Closed, err))
	}
	p.queue.clear()
	for _, w := range p.workers {
		w.leaveRest()
	}
	p.ctx.Cancel(err)
	p.sendHome()
}

// sendHome lets those who are parked end. p.mu is held.
func (p *Pool[T]) sendHome() {
	if p.dismiss != nil {
		p.dismiss()
	}
	for _, w := range p.idle {
		w.wakeup <- struct{}{}
	}
	p.idle = nil
}

// Close takes no more values, waits for the workers, and ends as they did.
func (p *Pool[T]) Close() error {
	p.mu.Lock()
	if !p.closed {
		p.heed()
	}
	p.closed = true
	p.refuse(p.cfg.Closed)
	if p.queue.len() == 0 {
		p.sendHome()
	} else {
		p.summon()
	}
	p.mu.Unlock()
	p.running.Wait()

	p.mu.Lock()
	defer p.mu.Unlock()
	p.end()
	p.failure.Resume()
	return p.err
}

// end ends what belongs to the pool; all workers have returned. p.mu is held.
func (p *Pool[T]) end() {
	if !p.stopped {
		p.heed()
	}
	p.stopped = true // an end of the context that comes later changes nothing
	if p.unwatch != nil {
		p.unwatch()
	}
	if p.watch.timer != nil {
		p.watch.timer.Stop()
	}
	if p.dismiss != nil {
		p.dismiss()
	}
	if l := p.limiter; l != nil && l != p.cfg.Limiter {
		p.history.Limit = l.Learnt().Settled
		p.history.Cost = p.cost
		p.history.Keep()
		l.Retire()
	}
	p.ctx.End()
}
