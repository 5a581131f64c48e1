package sweetspot

import (
	"context"
	"fmt"
	"iter"
	"reflect"
)

// Workers calls body once in each of several goroutines and shares the elements
// of s among them: each body ranges over its items, index and element, until the
// range ends. What a worker needs for itself, such as a buffer, a connection or
// a sum, is a local variable of body, and its cleanup a defer.
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
// The number of goroutines is found as for [Map]; the calling one works as well.
// When a limit falls, the range of a surplus worker ends; when it rises, body is
// called once more. A range also ends when the call has failed or ctx is done,
// so body should return what it has found out, not that its range ended.
//
// An element that was given to a body belongs to it. A body that returns before
// its range has ended, and without an error, leaves its other elements to the
// others; if all do that, Workers returns nil. The first error in time is
// returned as it is, after all bodies have returned. Panics, Goexit and
// cancelling are as with [Map]. The range must not be used by another goroutine, and
// gives nothing to a body that has returned. A body that takes its items by [iter.Pull2]
// must call stop before it returns, or what is left of its chunk is lost.
func Workers[T any](ctx context.Context, s []T, body func(ctx context.Context, items iter.Seq2[int, T]) error, opts ...Option) error {
	if body == nil {
		panic("sweetspot: Workers: the function is nil")
	}
	k := &workers[T]{s: s, body: body}
	k.engage("Workers", reflect.ValueOf(body).Pointer(), opts)
	return k.do(ctx, k, len(s))
}

type workers[T any] struct {
	spans
	s    []T
	body func(context.Context, iter.Seq2[int, T]) error
}

func (k *workers[T]) work(w *worker) error {
	turn := w.turns.Load()
	defer k.over(w)
	return k.body(&k.ctx, func(yield func(int, T) bool) {
		for {
			lo, hi, ok := k.nextOf(w, turn)
			if !ok {
				return
			}
			for i, v := range k.s[lo:hi] {
				if !yield(lo+i, v) {
					k.giveBack(w, turn, lo+i+1, hi)
					return
				}
			}
		}
	})
}

// Range is [Workers] over the numbers from 0 to n, in chunks, for loops too
// short to pay for a call of yield at each turn: each body ranges over half-open
// ranges [lo, hi), which together cover each number once. It panics if n < 0.
func Range(ctx context.Context, n int, body func(ctx context.Context, chunks iter.Seq2[int, int]) error, opts ...Option) error {
	if body == nil {
		panic("sweetspot: Range: the function is nil")
	}
	if n < 0 {
		panic(fmt.Sprintf("sweetspot: Range(%d): want 0 or more", n))
	}
	k := &ranging{body: body}
	k.engage("Range", reflect.ValueOf(body).Pointer(), opts)
	k.widest = chunkWidest
	return k.do(ctx, k, n)
}

type ranging struct {
	spans
	body func(context.Context, iter.Seq2[int, int]) error
}

func (k *ranging) work(w *worker) error {
	turn := w.turns.Load()
	defer k.over(w)
	return k.body(&k.ctx, func(yield func(int, int) bool) {
		for {
			lo, hi, ok := k.nextOf(w, turn)
			if !ok || !yield(lo, hi) {
				return
			}
		}
	})
}
