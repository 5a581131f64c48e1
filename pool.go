package sweetspot

import (
	"context"
	"errors"
	"iter"
	"reflect"

	"github.com/sweetspot-go/sweetspot/internal/pool"
)

// ErrClosed is the error of a Submit to a [Pool] that is closed. After a failure of the
// pool the error wraps both ErrClosed and the failure.
var ErrClosed = errors.New("sweetspot: the pool is closed")

// A Pool is a number of long-lived workers that share the values submitted to it. Each
// worker is one call of a function that ranges over its values. Local variables there
// hold what a worker needs for itself, such as a connection.
//
// Workers start when values wait, up to GOMAXPROCS. If values still wait after some
// milliseconds, a [Limiter] of the pool decides how many workers run. If the work mostly
// waits, these are many more. [Fixed] or a [*Limiter] as option bounds them. Workers that
// are surplus, because there is nothing to do or the limit has fallen, park within their
// range, keep what they hold, and go on when they are needed again. A parked worker holds
// no permit.
//
// Close a Pool, or end its context; otherwise its workers stay parked. Any number of
// goroutines may call its methods, but a worker must not call Close.
type Pool[T any] struct{ pool pool.Pool[T] }

// NewPool returns a Pool whose workers are calls of work. It starts no goroutine before
// the first Submit. It panics if work is nil or the options contradict each other.
//
// The range of work ends after Close, when ctx is done, and when a worker has failed;
// then work should return. If it returns an error, the pool fails: ctx of the other
// workers is cancelled, values that were not begun are dropped, and Close returns that
// error. A panic or [runtime.Goexit] does the same, and Close passes it on. If work
// returns nil before its range has ended, others do the rest; but returning before the
// first value is a failure.
//
// When ctx is done, workers stop after their current value, other values are dropped,
// and Submit and Close return [context.Cause] of ctx.
//
// With a [*Limiter] the ctx given to work carries the worker's permit while it holds one:
// not before its first value, and neither while it is parked nor when its range has ended.
func NewPool[T any](ctx context.Context, work func(ctx context.Context, tasks iter.Seq[T]) error, opts ...ChunkOption) *Pool[T] {
	must(work != nil, "sweetspot: NewPool: the function is nil")
	p := new(Pool[T])
	set := settingsOf("NewPool", opts)
	p.pool.Init(ctx, work, reflect.ValueOf(work).Pointer(), pool.Config{Config: set.Config, Closed: ErrClosed})
	return p
}

// Submit hands v to the workers. While the queue is full, it waits, first come, first
// served, until there is room or ctx is done. The queue holds about what the workers do
// in 0.1 ms, and at least one value for each.
//
// It returns nil if v was taken. A worker will then get v, unless the pool fails or its
// context ends. Otherwise v was not taken, and the error is [context.Cause] of ctx if
// ctx is done first; the cause of the pool's context if that is done; and [ErrClosed],
// alone or with the failure, after Close or a failure.
//
// Without waiting it takes about 50 ns and allocates nothing. A worker that submits to
// its own pool can wait for itself, and so can a goroutine that holds a permit of the
// pool's Limiter.
func (p *Pool[T]) Submit(ctx context.Context, v T) error { return p.pool.Submit(ctx, v) }

// TrySubmit hands v to the workers if there is room in the queue, and reports
// whether it did. It never blocks.
func (p *Pool[T]) TrySubmit(v T) bool { return p.pool.TrySubmit(v) }

// Close takes no more values, waits until the workers have done the values taken and
// have returned, and returns the first error, or nil. It refuses submissions that wait
// for room. If a worker panicked, Close panics with a [*PanicError]; if one called
// [runtime.Goexit], so does Close. Nothing runs after Close. A second call does the
// same again.
func (p *Pool[T]) Close() error { return p.pool.Close() }
