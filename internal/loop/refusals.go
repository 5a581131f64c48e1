package loop

import (
	"math"

	"github.com/sweetspot-go/sweetspot/limit"
)

// refusals tells whether the limit sends callers away. A caller that TryAcquire refuses does
// not wait, so no time is bound and nobody waiting is seen, though the limit and not the
// demand decides the throughput. From one in 20 on, that much more could be done, and
// the whole tick counts as bound: a caller who had waited instead would still be there.
type refusals struct {
	callers, refused float64 // the newest count most

	refusedBefore, queuedBefore, begunBefore int64
}

const (
	// refusalsOf is the time over which callers are counted, s: long enough to see some of a
	// slow server, short enough that a rush is forgotten a second after it has passed.
	refusalsOf = 0.5
	// refusalsMatter is the share of callers refused from which it counts. A law does not
	// see less in a throughput.
	refusalsMatter = 0.05
	// refusalsFew is how many callers there must be for a share: of fewer, one that is
	// refused counts until half of it is forgotten.
	refusalsFew = 10
)

// see takes the totals at the end of a tick of dt seconds: permits taken, TryAcquires in
// vain, and the state of the semaphore. It reports whether the limit binds.
func (f *refusals) see(dt float64, begun, refused int64, c limit.Counters) bool {
	// Who was refused and then waited in Acquire is bound by that.
	away := max(0, refused-f.refusedBefore-(c.Queued-f.queuedBefore))
	came := away + max(0, begun-f.begunBefore)
	f.refusedBefore, f.queuedBefore, f.begunBefore = refused, c.Queued, begun
	keep := math.Exp(-dt / refusalsOf)
	f.refused = f.refused*keep + float64(away)
	f.callers = f.callers*keep + float64(came)
	return f.refused >= refusalsMatter*max(f.callers, refusalsFew)
}
