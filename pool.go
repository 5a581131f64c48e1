package sweetspot

import (
	"context"
	"errors"
	"iter"
	"reflect"

	"github.com/sweetspot-go/sweetspot/internal/pool"
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
type Pool[T any] struct{ pool pool.Pool[T] }

// NewPool returns a Pool whose workers are calls of work. It starts no goroutine
// before the first Submit. It panics if work is nil or the options contradict
// each other; [Fixed], [MinChunk] and a [*Limiter] have a meaning here.
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
func NewPool[T any](ctx context.Context, work func(ctx context.Context, tasks iter.Seq[T]) error, opts ...ChunkOption) *Pool[T] {
	if work == nil {
		panic("sweetspot: NewPool: the function is nil")
	}
	p := new(Pool[T])
	set := settingsOf("NewPool", opts)
	p.pool.Init(ctx, work, reflect.ValueOf(work).Pointer(), pool.Config{Config: set.Config, Closed: ErrClosed})
	return p
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
// Without waiting it takes some 50 ns and allocates nothing. A worker that submits to
// its own pool can wait for itself, and so can a goroutine that holds a permit of
// the pool's Limiter.
func (p *Pool[T]) Submit(ctx context.Context, v T) error { return p.pool.Submit(ctx, v) }

// TrySubmit hands v to the workers if there is room in the queue, and reports
// whether it did. It never blocks.
func (p *Pool[T]) TrySubmit(v T) bool { return p.pool.TrySubmit(v) }

// Close takes no more values, waits until the workers have done those that it
// took and have returned, and returns the first error, or nil. Submissions that
// wait for room are refused. If a worker panicked, Close panics with a
// [*PanicError]; if one called [runtime.Goexit], so does Close. Nothing runs
// after Close, and to call it again does the same again.
func (p *Pool[T]) Close() error { return p.pool.Close() }
