package jobserver

import "time"

// A loss tells tokens that died with a client from those that are in use.
type loss struct {
	since time.Time // of the first of the looks
	looks int       // in a row that found more tokens than could be in use
	least int       // how many more, at least
}

const (
	// lossAfter is for how long tokens must be too many: longer than a client takes between
	// the end of a job and the return of its token, or between a token and the start of its job.
	lossAfter = time.Second
	// lossLooks is how many looks there must be in that time.
	lossLooks = 4
)

// see takes a look, at which held tokens had been out all the time since the last one, and
// working threads could have used one. It returns how many tokens are lost.
func (l *loss) see(now time.Time, held, working int, after time.Duration) int {
	surplus := held - max(working-1, 0) // one works without a token
	if surplus <= 0 {
		*l = loss{}
		return 0
	}
	if l.looks == 0 {
		l.since, l.least = now, surplus
	}
	l.looks++
	l.least = min(l.least, surplus)
	if l.looks < lossLooks || now.Sub(l.since) < after {
		return 0
	}
	n := l.least
	*l = loss{}
	return n
}
