// Package peers keeps one client of a server from making it look overloaded to all.
package peers

import (
	"sync"
	"sync/atomic"
	"time"
)

const (
	// One and fewShare of the requests of all others may end as overloads without making
	// them witnesses: among many there is always one with a deadline that was too short.
	fewShare = 0.02
	// leastWork is the part of the time in flight that the others have at least: fewer,
	// such as health checks beside a proxy that all clients use, prove nothing.
	leastWork = 0.1
	// leastSeen requests of others must have ended, and some remembered are the newest.
	leastSeen, remembered = 20, 1000
	// early is how long after the first overload ever no more than mostEarly count: by then
	// the others, if there are any, have been seen.
	early, mostEarly = time.Second, 10
	// mostLead bounds how many overloads of others it takes until a peer that was the
	// worst is forgotten.
	mostLead = 100
	// calm is how long there must be no overload until the Watch costs nothing again.
	calm = time.Minute
)

// A Watch decides which overloads count. Those of one peer do not while the requests of
// others, which do a tenth of the work or more, end well. It watches the peer with the
// most overloads; where there has been none for a minute it costs nothing. The zero Watch
// is ready to use.
// All methods may be called by any number of goroutines.
type Watch struct {
	on atomic.Bool

	mu     sync.Mutex
	first  time.Time // of the overloads since it was on
	last   time.Time
	soon   int     // overloads that came early and counted
	worst  string  // the peer with the most overloads (Misra and Gries, 1982, with one counter)
	lead   int     // how many more it has than others
	own    float64 // time in flight of its requests, s
	others struct{ ended, overloads, work float64 }
}

// On reports whether there were overloads of late, so that Done must be called.
func (w *Watch) On() bool { return w.on.Load() }

// Done takes note of a request of a peer that succeeded, and how long it took.
func (w *Watch) Done(peer string, took time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if peer != w.worst {
		w.ended()
	}
	w.worked(peer, took)
	if w.on.Load() && time.Since(w.last) > calm {
		w.forget("")
		w.lead, w.soon = 0, 0
		w.on.Store(false)
	}
}

// Overloaded takes note of a request of a peer that ended as an overload, and how long it
// took (0 if that is unknown). It reports whether it counts.
func (w *Watch) Overloaded(peer string, took time.Duration) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last = time.Now()
	if !w.on.Load() {
		w.first, w.worst = w.last, peer
		w.on.Store(true)
	}
	if w.lead == 0 && peer != w.worst {
		w.forget(peer)
	}
	w.worked(peer, took)
	counts := time.Since(w.first) >= early || w.soon < mostEarly
	if peer != w.worst {
		w.lead--
		w.others.overloads++
		w.ended()
		return w.counted(counts)
	}
	w.lead = min(w.lead+1, mostLead)
	o := &w.others
	doWell := o.ended >= leastSeen && o.work >= leastWork*(o.work+w.own) && o.overloads <= 1+fewShare*o.ended
	return w.counted(counts && !doWell)
}

// counted returns counts, and counts the first that do.
func (w *Watch) counted(counts bool) bool {
	if counts && w.soon < mostEarly {
		w.soon++
	}
	return counts
}

// worked counts the time in flight of a request. That of overloads counts too: where none
// of the worst peer's requests succeeds, it may still be the one that all clients use.
func (w *Watch) worked(peer string, took time.Duration) {
	if peer == w.worst {
		w.own += took.Seconds()
	} else {
		w.others.work += took.Seconds()
	}
}

// forget makes peer the worst, and forgets what the others did.
func (w *Watch) forget(peer string) {
	w.worst, w.own = peer, 0
	w.others.ended, w.others.overloads, w.others.work = 0, 0, 0
}

// ended counts a request of the others.
func (w *Watch) ended() {
	o := &w.others
	if o.ended++; o.ended > remembered {
		o.ended, o.overloads, o.work, w.own = o.ended/2, o.overloads/2, o.work/2, w.own/2
	}
}
