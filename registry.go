package sweetspot

import (
	"sync"
	"weak"
)

// named are the Limiters that have a name, oldest first. Weak pointers, because nothing
// reports when a Limiter is no longer used.
var named struct {
	sync.Mutex
	list []weak.Pointer[Limiter]
}

func register(l *Limiter) {
	named.Lock()
	defer named.Unlock()
	// Those who are gone leave when the list would grow, so that its length is
	// bounded by what has lived at one time.
	if len(named.list) == cap(named.list) {
		kept := named.list[:0]
		for _, w := range named.list {
			if w.Value() != nil {
				kept = append(kept, w)
			}
		}
		clear(named.list[len(kept):])
		named.list = kept
	}
	named.list = append(named.list, weak.Make(l))
}

// Limiters returns the Limiters in use that have a name (see [Name]), oldest first, for
// pages and metrics. A Limiter that is no longer referenced disappears with the next
// garbage collection. Names are not checked: if two Limiters share one, both are
// listed.
func Limiters() []*Limiter {
	named.Lock()
	defer named.Unlock()
	var out []*Limiter
	for _, w := range named.list {
		if l := w.Value(); l != nil {
			out = append(out, l)
		}
	}
	return out
}
