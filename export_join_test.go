package sweetspot

import "unsafe"

// Slots returns how many goroutines j could start now, and whether one waits for
// work.
func (j *Joiner) Slots() (free int, waiting bool) {
	return int(j.team.free.Load()), j.team.desk.Load() != nil
}

// Busy takes all slots of j, so that nothing moves.
func (j *Joiner) Busy() *Joiner {
	for j.team.take() {
	}
	return j
}

// ForgetJoins forgets what was learnt of all functions.
func ForgetJoins() {
	for i := range memos {
		memos[i].Store(nil)
	}
}

// JoinLayout returns the distances of the words that all goroutines of a team
// read from what else it has, before and behind them.
func JoinLayout() (before, behind uintptr) {
	var t team
	return unsafe.Offsetof(t.free) - unsafe.Offsetof(t.away) - unsafe.Sizeof(t.away),
		unsafe.Sizeof(t) - unsafe.Offsetof(t.desk) - unsafe.Sizeof(t.desk)
}
