package peers

import (
	"hash/maphash"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// early is how long after the first overload ever no more than mostEarly count: by then
	// the others, if there are any, have been seen.
	early, mostEarly = time.Second, 10
	// calm is how long there must be no overload until a book costs nothing again.
	calm = time.Minute
)

// A book decides which overloads of one kind count.
type book struct {
	on atomic.Bool

	mu    sync.Mutex
	first time.Time // of the overloads since it was on
	last  time.Time
	soon  int    // overloads that came early and counted
	table *table // nil while it is off
}

// done takes note of a request that succeeded.
func (b *book) done(peer string, took time.Duration) {
	if !b.on.Load() {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.table == nil { // turned off meanwhile
		return
	}
	b.table.done(peer, took)
	if time.Since(b.last) > calm {
		b.table, b.soon = nil, 0
		b.on.Store(false)
	}
}

// counts takes note of an overload, and reports whether it counts: not where peers do well,
// which have few of them.
func (b *book) counts(peer string, took time.Duration, few float64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last = time.Now()
	if b.table == nil {
		b.first, b.table = b.last, &table{few: few, seed: maphash.MakeSeed()}
		b.on.Store(true)
	}
	b.table.overloaded(peer, took)
	soon := time.Since(b.first) < early
	if soon && b.soon >= mostEarly || b.table.servesWell() {
		return false
	}
	if soon {
		b.soon++
	}
	return true
}
