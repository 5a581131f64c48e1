package sweetspot

import (
	"context"
	"fmt"
	"iter"
	"reflect"

	"github.com/sweetspot-go/sweetspot/internal/frontier"
)

// Walk calls visit once for each distinct key that can be reached from roots:
// visit tells of the keys next to k by push. It is what remains of a crawler, of
// a build that follows imports, or of the mark phase of a garbage collector when
// the queue, the set of keys seen and the goroutines are taken away.
//
// It is undefined in which order keys are visited; a key pushed by several
// visits is visited because of any of them. Two keys are the same if they are
// the same to a map: a key that differs from itself, such as NaN, is visited
// each time it is pushed, and push panics as a map does for an interface that
// holds what cannot be compared.
//
// push is valid until visit returns, for one goroutine at a time. It never
// blocks, and it keeps its promise also if visit fails afterwards. What it is
// given may be visited at once by others; at the latest it is when visit has
// returned.
//
// If visit returns an error, Walk hands out no more keys, cancels the ctx of the
// visits that run, waits for them, and returns the first error in time, as a
// [*KeyError]. With [AllErrors] it goes on and returns all errors, joined in no
// particular order. If ctx is done while there are keys left or before roots has
// ended, Walk returns [context.Cause] of ctx; if it is done from the beginning,
// nothing is called. If visit or roots panic, Walk panics with a [*PanicError] once the
// visits that run have ended; if they call [runtime.Goexit], so does Walk.
// Nothing runs after Walk has returned.
//
// The caller's goroutine ranges over roots, and visits as well. Alone it takes
// the next root when nothing else is left; with others beside it, it hands roots
// out while it waits for the next, as far ahead as keeps them busy for about a
// millisecond. So roots may be long, slow, or depend on what visits do. Walk
// waits for roots: it cannot interrupt a sequence that blocks.
//
// How many goroutines visit is found as for [Map]. A small Walk is a depth-first
// one in the goroutine of the caller. As nobody knows what is behind a key, Walk
// expects as much work as there has been so far: others join when it has taken
// some 0.4 ms and there is something to share, and stay away for growing times
// where they found little, as in a chain. A [Fixed] number or a [*Limiter]
// bounds them; when a limit falls, surplus goroutines leave after the keys that
// they have begun.
//
// [SizeHint] saves growing the set, a third of the time of a Walk whose visits
// cost nothing. Walk keeps every key until it returns, in up to three places for
// each, of its size and a byte, and allocates per growth, not per key. Alone, a key
// costs some 20 to 50 ns beside its visit, a good half of what it costs with a map.
func Walk[K comparable](ctx context.Context, roots iter.Seq[K], visit func(ctx context.Context, k K, push func(K)) error, opts ...WalkOption) error {
	switch {
	case roots == nil:
		panic("sweetspot: Walk: the sequence of roots is nil")
	case visit == nil:
		panic("sweetspot: Walk: the function is nil")
	}
	set := settingsOf("Walk", opts)
	cfg := frontier.Config{Config: set.Config, Code: reflect.ValueOf(visit).Pointer(), Keys: set.size, AllErrors: set.allErrors}
	return frontier.Walk(ctx, cfg, roots, visit, keyErrors[K]{})
}

// A KeyError says at which key a [Walk] failed.
type KeyError[K comparable] struct {
	Key K
	Err error // what visit returned
}

// Error returns the message of Err with the key in front.
func (e *KeyError[K]) Error() string { return fmt.Sprintf("key %v: %v", e.Key, e.Err) }

// Unwrap returns Err.
func (e *KeyError[K]) Unwrap() error { return e.Err }

// keyErrors makes KeyErrors.
type keyErrors[K comparable] struct{}

func (keyErrors[K]) KeyError(k K, err error) error { return &KeyError[K]{k, err} }
