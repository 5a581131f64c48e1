package frontier

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/call"
	"github.com/sweetspot-go/sweetspot/internal/keyset"
)

// A walk is what its workers share. It is in one of two phases:
//
//   - serial: one walker has the set for itself, and every key that waits is on its
//     stack or in its batch;
//   - shared: the set has a lock for each shard, and keys that wait may also be in the
//     queue.
//
// A key enters the set before it is visited. From then on it is in exactly one place:
// on a stack, in the queue, or in a visit. The walk is over when there are no more
// roots, the queue is empty and no walker is active.
type walk[K comparable] struct {
	call   call.Handle
	visit  func(context.Context, K, func(K)) error
	toErr  KeyErrors[K]
	set    keyset.Set[K]      // of the keys reached, until the walk is shared for the first time
	shared *keyset.Sharded[K] // of the keys reached, from then on
	queue  queue[K]

	chunks        atomic.Int64 // that have ended
	speculateFrom atomic.Int64 // ns of the call's clock; earlier, no helper comes for keys that only may follow
	wanted        atomic.Bool  // a shared phase is to begin
	allErrors     bool

	// Guarded by queue.mu.
	serial     bool
	vainPhases uint8                     // shared phases in a row that did not pay
	sharedAt   time.Duration             // when the newest shared phase began
	free       []*keyset.ShardBatches[K] // that no walker uses
	errs       []error                   // of a walk that goes on after one
}

// KeyErrors makes the errors of a walk. It is an interface because each walk would have
// to allocate a function value that depends on K.
type KeyErrors[K comparable] interface {
	// KeyError returns the error of a walk for err, which the visit of k has returned.
	KeyError(k K, err error) error
}

// A walker is the part of a walk that one worker has. No other worker uses it.
type walker[K comparable] struct {
	v       *walk[K]
	w       *call.Worker
	pushed  func(K) // push, bound once
	mode    mode
	keys    []K // a stack, from base on
	base    int
	quota   int                     // visits until the next chunk boundary
	err     error                   // to end the walk with
	batch   *keyset.Batch[K]        // keys that are not in the set yet, in the serial phase
	batches *keyset.ShardBatches[K] // the same in the shared phase
	room    int                     // keys that batches may hold
	added   int                     // keys pushed since the newest boundary that are in the set, in the shared phase
}

// A mode is what push does with a key.
type mode uint8

const (
	serial    mode = iota // adds it without locks: the set is ours
	batched               // adds it together with others of its shard
	immediate             // adds it and hands it to others at once: visits are slow
	ended                 // panics: the worker has left
)

// slow reports whether visits take longer than a chunk should.
func (p *walker[K]) slow() bool { return p.w.Sizer.Cost >= float64(call.ChunkTime) }

// waiting returns the number of keys on the stack.
func (p *walker[K]) waiting() int { return len(p.keys) - p.base }
