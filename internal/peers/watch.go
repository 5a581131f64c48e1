// Package peers keeps some clients of a server from making it look overloaded to all.
package peers

import (
	"sync"
	"sync/atomic"
	"time"
)

const (
	// One and fewShare of the requests of all who do well may end as overloads without
	// making them witnesses: among many there is always one with a deadline that was too
	// short.
	fewShare = 0.02
	// leastWork is the part of the time in flight that witnesses have at least: fewer,
	// such as health checks beside a proxy that all clients use, prove nothing.
	leastWork = 0.1
	// leastSeen requests of witnesses must have ended, and some remembered are the newest.
	leastSeen, remembered = 20, 1000
	// early is how long after the first overload ever no more than mostEarly count: by then
	// the others, if there are any, have been seen.
	early, mostEarly = time.Second, 10
	// calm is how long there must be no overload until the Watch costs nothing again.
	calm = time.Minute
)

// A Watch decides which overloads count: none where peers that do a tenth of the work or
// more have hardly any, however many others have them. What overloads a server reaches
// nearly all. Where there has been none for a minute it costs nothing. The
// zero Watch is ready to use.
// All methods may be called by any number of goroutines.
type Watch struct {
	on atomic.Bool

	mu    sync.Mutex
	first time.Time // of the overloads since it was on
	last  time.Time
	soon  int    // overloads that came early and counted
	table *table // nil while it is off
}

// On reports whether there were overloads of late, so that Done must be called.
func (w *Watch) On() bool { return w.on.Load() }

// Done takes note of a request of a peer that succeeded, and how long it took.
func (w *Watch) Done(peer string, took time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.table == nil { // turned off meanwhile
		return
	}
	w.table.done(peer, took)
	if time.Since(w.last) > calm {
		w.table, w.soon = nil, 0
		w.on.Store(false)
	}
}

// Overloaded takes note of a request of a peer that ended as an overload, and how long it
// took (0 if that is unknown). It reports whether it counts.
func (w *Watch) Overloaded(peer string, took time.Duration) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last = time.Now()
	if w.table == nil {
		w.first, w.table = w.last, newTable()
		w.on.Store(true)
	}
	w.table.overloaded(peer, took)
	soon := time.Since(w.first) < early
	if soon && w.soon >= mostEarly || w.table.servesWell() {
		return false
	}
	if soon {
		w.soon++
	}
	return true
}
