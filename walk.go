package sweetspot

import (
	"context"
	"fmt"
	"iter"
	"reflect"

	"github.com/sweetspot-go/sweetspot/internal/frontier"
)

// Walk calls visit once for each distinct key that can be reached from roots; visit
// reports the neighbours of k by push. Walk has the queue, the set of visited keys and
// the goroutines that a crawler, a build that follows imports, or the mark phase of a
// garbage collector needs.
//
// The order of visits is undefined. Keys are equal if they are equal to a map: a key
// that differs from itself, such as NaN, is visited each time it is pushed, and push
// panics as a map does for an interface that holds an incomparable value.
//
// push is valid until visit returns, for one goroutine at a time. It never blocks, and a pushed
// key counts even if visit fails afterwards. Another goroutine may visit the key at once, and
// can do so at the latest when visit has returned.
//
// If visit returns an error, Walk hands out no more keys, cancels the ctx of the
// running visits, waits for them, and returns the first error in time, as a
// [*KeyError]. With [AllErrors] it goes on and returns all errors, joined in no
// particular order. If ctx is done while there are keys left or before roots has ended,
// Walk returns [context.Cause] of ctx; if it is done from the beginning, nothing is
// called. If visit or roots panic, Walk panics with a [*PanicError] once the running
// visits have ended; if they call [runtime.Goexit], so does Walk. Nothing runs after
// Walk has returned.
//
// The caller's goroutine ranges over roots, and visits as well. Alone, it takes the
// next root when nothing else is left. With helpers, it hands roots out while it waits
// for the next, far enough ahead to keep them busy for about a millisecond. So roots
// may be long, slow, or depend on what visits do. Walk waits for roots: it cannot
// interrupt a sequence that blocks. The caller holds no permit of a [*Limiter] while roots
// runs, unless a visit has panicked, so roots may wait for one; that takes 0.2 µs for each root.
//
// The number of goroutines is found as for [Map]. A small Walk is depth-first, in the goroutine
// of the caller. Because the work behind a key is unknown, Walk expects as much work as there
// has been so far. Helpers join when it has taken about 0.4 ms and there is something to share.
// If they found little, as in a chain, they stay away longer each time. A [Fixed] number or a
// [*Limiter] bounds them; when a limit falls, surplus goroutines leave after the keys that they
// have begun.
//
// [SizeHint] avoids growing the set, which takes about 0.4 of the time of a Walk
// whose visits cost nothing. Walk keeps every key until it returns, in up to three slots per
// key, each the size of a key plus one byte. It allocates per growth, not per key. Alone, a key
// costs about 20 to 50 ns beside its visit, a little over half of what it costs with a map.
func Walk[K comparable](ctx context.Context, roots iter.Seq[K], visit func(ctx context.Context, k K, push func(K)) error, opts ...WalkOption) error {
	must(roots != nil, "sweetspot: Walk: the sequence of roots is nil")
	must(visit != nil, "sweetspot: Walk: the function is nil")
	set := settingsOf("Walk", opts)
	cfg := frontier.Config{Config: &set.Config, Code: reflect.ValueOf(visit).Pointer(), Keys: set.size, AllErrors: set.allErrors}
	if set.Weighed {
		visit = walkWeighed(weightOf[K]("Walk", set.weight), visit)
	}
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
