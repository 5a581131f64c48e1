package loop

import (
	"sync/atomic"
	"time"

	"github.com/sweetspot-go/sweetspot/limit"
)

// A plant is what the loop controls: the work behind the semaphore, and the accounts of
// what went through. All counters are totals since the loop began.
type plant struct {
	sem   *limit.Semaphore
	awake atomic.Bool // the governor ticks: set by it, read whenever a permit is taken

	ignored   atomic.Int64 // units
	overloads atomic.Int64 // units
	parts     atomic.Int64 // of turns, overloaded: in wholeTurns
	partsDone atomic.Int64 // of those, the parts of turns in which something was done as well
	refused   atomic.Int64 // TryAcquires in vain
	surplus   atomic.Int64 // Σ (weight - 1) of weighted units; may wrap
	// further counts the units of chunks beyond one a turn: of turns that something was done in,
	// the units done, and of all, those that failed.
	further struct{ done, failed atomic.Int64 }

	residence residence
	epoch     time.Time
}

// clock returns the time since the loop began.
func (p *plant) clock() time.Duration { return time.Since(p.epoch) }

// mostWeight is the most that a unit weighs: more than the bytes of any file that is sent
// as one. A float64 is exact up to 2^53: it takes 8,192 units of that weight until the sum
// of all no longer shows one of weight 1.
const mostWeight = int64(1) << 40

// release ends a unit of that weight, 1 or more.
func (p *plant) release(weight int64) {
	p.sem.Release() // first, as it may panic
	p.outweigh(weight)
}

// outweigh takes note that a unit that counts as one weighs that much.
func (p *plant) outweigh(weight int64) { p.surplus.Add(min(weight, mostWeight) - 1) }

// releaseNothing ends a unit of weight 0. It takes the weight off before the
// unit is counted: seen in between, the other way round, the total would be too
// large, and as totals only grow it would stay so.
func (p *plant) releaseNothing() {
	p.surplus.Add(-1)
	released := false
	defer func() {
		if !released {
			p.surplus.Add(1)
		}
	}()
	p.sem.Release()
	released = true
}

// wholeTurn is a turn in parts: a millionth shows, and 10,000 turns a second take 28 years until the sum
// of all no longer fits.
const wholeTurn = 1 << 20

// overloaded counts units that were overloaded in a turn that was so to that share, and in
// which others may have been done. It reports whether the controller sees one more.
func (p *plant) overloaded(units int, share float64, done bool) bool {
	part := int64(share * wholeTurn)
	sum := p.parts.Add(part) // first, as an overloaded turn without its part looks like an ignored one
	if done {
		p.partsDone.Add(part)
	}
	p.overloads.Add(int64(units))
	return sum/wholeTurn > (sum-part)/wholeTurn
}

// overloadedTurns returns how many turns were overloaded, and how many of these in which
// nothing was done.
func (p *plant) overloadedTurns() (all, nothingDone int64) {
	done := p.partsDone.Load() // first: parts has it already
	parts := p.parts.Load()
	return parts / wholeTurn, (parts - done) / wholeTurn
}

// ended returns how many turns have ended in any way. Failed ones are work as well, and
// may report overload.
func (p *plant) ended(c limit.Counters) int64 {
	return c.Completed + p.ignored.Load() + p.overloads.Load() - p.further.failed.Load()
}

func (p *plant) done(c limit.Counters) int64 { return c.Completed + p.further.done.Load() }

// weight returns that of all units done; it may wrap.
func (p *plant) weight(c limit.Counters) int64 { return p.done(c) + p.surplus.Load() }

// setLimit puts n in force.
func (p *plant) setLimit(n int) {
	p.residence.limitChanged(p.clock())
	p.sem.SetLimit(n)
}
