package forkjoin

import (
	"time"
	"unsafe"
)

// Slots returns how many goroutines j could start now, and whether one waits for
// work.
func (j *Joiner) Slots() (free int, waiting bool) {
	return int(j.team.free.Load()), j.team.idle.Load() != nil
}

// Exhaust takes all permits of j.
func (j *Joiner) Exhaust() {
	for j.team.tryAcquire() {
	}
}

// Forget forgets what was learnt of all functions.
func Forget() {
	for i := range history {
		history[i].Store(nil)
	}
}

// Layout returns the distances of the words that all goroutines of a team read
// from what else it has, before and behind them.
func Layout() (before, behind uintptr) {
	var t team
	return unsafe.Offsetof(t.free) - unsafe.Offsetof(t.away) - unsafe.Sizeof(t.away),
		unsafe.Sizeof(t) - unsafe.Offsetof(t.idle) - unsafe.Sizeof(t.idle)
}

// A Cutoff is a cutoff, with its methods in the open.
type Cutoff cutoff

func (c *Cutoff) Learn(reversed bool, first, second time.Duration) {
	(*cutoff)(c).learn(reversed, int64(first), int64(second))
}

func (c *Cutoff) Piece(reversed bool, first time.Duration) bool {
	return (*cutoff)(c).piece(reversed, int64(first))
}

func (c *Cutoff) Larger(reversed bool, first time.Duration) bool {
	return (*cutoff)(c).larger(reversed, int64(first))
}
