// Package peers keeps some clients of a server from making it look overloaded to all.
package peers

import (
	"sync/atomic"
	"time"
)

const (
	// One and fewOverloads of the requests of all that do well may end as overloads without
	// making them witnesses: among many there is always one with a deadline that was too
	// short. Clients hang up for many reasons, and some send each request twice and take the
	// first answer: in vain are most, where most are.
	fewOverloads, fewInVain = 0.02, 2.0 / 3
	// outnumbers is by how many those in vain must outnumber twice the others until they are
	// looked at, and mostExcess what is remembered of that. One that was under way for a part
	// of what the others take counts as that part of whole: deadlines that no request can
	// keep are many and cost little, also where all clients are behind one proxy.
	whole                  = 64
	outnumbers, mostExcess = 16 * whole, 32 * whole
	meanOf                 = 64 // requests, about
)

// A Watch decides which requests count as overloads: of those that ended as one, or in vain,
// none where peers that do a tenth of the work or more have few, however many others have.
// What overloads a server reaches nearly all. Where there has been nothing for a minute it
// costs nothing. The zero Watch is ready to use.
// All methods may be called by any number of goroutines.
type Watch struct {
	overloads, vain book
	excess          atomic.Int32 // of requests in vain over twice those that succeeded, by whole
	mean            atomic.Int64 // time of those that succeeded
}

// On reports whether there was something of late, so that Done must be called.
func (w *Watch) On() bool {
	return w.overloads.on.Load() || w.vain.on.Load() || w.excess.Load() > 0
}

// Done takes note of a request of a peer that succeeded, and how long it took.
func (w *Watch) Done(peer string, took time.Duration) {
	mean := w.mean.Load()
	if mean == 0 {
		mean = int64(took)
	}
	w.mean.Store(mean + (int64(took)-mean)/meanOf)
	w.exceed(-2 * whole)
	w.overloads.done(peer, took)
	w.vain.done(peer, took)
}

// Overloaded takes note of a request of a peer that ended as an overload, and how long it
// took (0 if that is unknown). It reports whether it counts.
func (w *Watch) Overloaded(peer string, took time.Duration) bool {
	return w.overloads.counts(peer, took, fewOverloads)
}

// InVain is Overloaded for a request whose client did not wait for the answer. It does not
// count unless most do so. Where it is known how long others take, one of which it is unknown
// is taken for a short one: many that one client hangs up at once must not count, and those
// that begin from now on are timed.
func (w *Watch) InVain(peer string, took time.Duration) bool {
	part := int64(whole)
	if mean := w.mean.Load(); mean > 0 {
		part = min(max(1, whole*int64(took)/mean), whole)
	}
	return w.exceed(int32(part)) > outnumbers && w.vain.counts(peer, took, fewInVain)
}

func (w *Watch) exceed(n int32) int32 {
	for {
		old := w.excess.Load()
		excess := min(max(0, old+n), mostExcess)
		if excess == old || w.excess.CompareAndSwap(old, excess) {
			return excess
		}
	}
}
