package sweetspot

import (
	"context"
	"iter"
	"reflect"

	"github.com/sweetspot-go/sweetspot/internal/call"
	"github.com/sweetspot-go/sweetspot/internal/ranges"
)

// Workers calls body once in each of several goroutines, or in none if s is empty, and
// shares the elements of s among them: each body ranges over its items, index and element,
// until the range ends. Local variables of body hold what a worker needs for itself, such
// as a buffer, a connection or a sum; a defer cleans up.
//
//	err := sweetspot.Workers(ctx, rows, func(ctx context.Context, items iter.Seq2[int, Row]) error {
//		conn, err := db.Conn(ctx)
//		if err != nil {
//			return err
//		}
//		defer conn.Close()
//		for _, row := range items {
//			...
//		}
//		return nil
//	})
//
// The number of goroutines is found as for [Map]; the calling one works as well. When a
// limit falls, the range of a surplus worker ends, and its ctx no longer carries a permit
// of the [*Limiter]; when it rises, body is called once more. A range also ends when the
// call has failed or ctx is done. So body should return its own result or error, not
// report that its range ended.
//
// A body owns the elements that it was given. If a body returns nil before its range
// has ended, the others take its remaining elements; if the ranges of these have ended
// by then, body is called once more. If all return nil before their ranges have ended,
// so does Workers. The first error in time is returned unwrapped, after all bodies have
// returned. So a body that has found what all search for should return an error of its
// own, which ends the ranges of all. Panics, Goexit and cancelling are as with [Map].
//
// Another goroutine must not use the range, and after body has returned it yields
// nothing. Ranges of a body that are open at once share its elements. A body that takes
// its items by [iter.Pull2] must call stop before it returns, or the rest of its chunk is
// lost.
func Workers[T any](ctx context.Context, s []T, body func(ctx context.Context, items iter.Seq2[int, T]) error, opts ...ChunkOption) error {
	must(body != nil, "sweetspot: Workers: the function is nil")
	k := &workers[T]{s: s, body: body}
	k.Engage(reflect.ValueOf(body).Pointer(), &settingsOf("Workers", opts).Config)
	return k.Do(ctx, k, len(s))
}

type workers[T any] struct {
	ranges.Job
	s     []T
	body  func(context.Context, iter.Seq2[int, T]) error
	first chunkRest // of the caller's first body: short calls have no other, and need not allocate one
}

// A chunkRest is what a body has not yet ranged over of its chunk. All its ranges share it, as
// several may be open.
type chunkRest struct{ lo, hi int }

func (k *workers[T]) Work(w *call.Worker) error {
	b, ok := k.Body(w)
	if !ok {
		return nil
	}
	rest := &k.first
	if !w.IsCaller || w.Bodies.Load() > 0 {
		rest = new(chunkRest)
	}
	defer func() {
		rest.lo, rest.hi = 0, 0
		b.End()
	}()
	return k.body(w.Context(), func(yield func(int, T) bool) {
		rest, s := rest, k.s
		defer func() { // also where yield panics: body may recover, and range again
			b.GiveBack(rest.lo, rest.hi)
			rest.lo, rest.hi = 0, 0
		}()
		for {
			for rest.lo < rest.hi {
				i := rest.lo
				rest.lo++
				if !yield(i, s[i]) {
					return
				}
			}
			var ok bool
			if rest.lo, rest.hi, ok = b.Next(); !ok {
				return
			}
		}
	})
}

// WorkersRange is [Workers] over the numbers from 0 to n, in chunks, for loops too
// short to pay for a call of yield per number. Each body ranges over half-open ranges
// [lo, hi), which together cover each number once. It panics if n < 0.
func WorkersRange(ctx context.Context, n int, body func(ctx context.Context, chunks iter.Seq2[int, int]) error, opts ...ChunkOption) error {
	must(body != nil, "sweetspot: WorkersRange: the function is nil")
	atLeast(0, "WorkersRange", n)
	k := &ranging{body: body}
	k.Engage(reflect.ValueOf(body).Pointer(), &settingsOf("WorkersRange", opts).Config)
	k.Widest = ranges.Widest
	return k.Do(ctx, k, n)
}

type ranging struct {
	ranges.Job
	body func(context.Context, iter.Seq2[int, int]) error
}

func (k *ranging) Work(w *call.Worker) error {
	b, ok := k.Body(w)
	if !ok {
		return nil
	}
	defer b.End()
	return k.body(w.Context(), func(yield func(int, int) bool) {
		for {
			lo, hi, ok := b.Next()
			if !ok || !yield(lo, hi) {
				return
			}
		}
	})
}
