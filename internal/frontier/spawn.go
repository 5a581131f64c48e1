package frontier

import (
	"runtime"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/call"
)

const (
	// speculativeWorth is how much work there must be for a helper where visits are
	// short, so that it is a guess what will follow: a helper that comes in vain
	// costs some 50 µs, 5 % of that.
	speculativeWorth = time.Millisecond
	// sharingCost is what it costs to share a key, ns: locks, lines of memory that
	// change the CPU, and mostly page faults, which on a virtual machine took 4 µs
	// when one thread had them and up to 18 when two had them at the same time.
	sharingCost = 400
)

// recruit starts a helper at a chunk boundary at now, if the keys that wait, or what may
// follow from them, pay for it.
func (p *walker[K]) recruit(now time.Duration) {
	v, w := p.v, p.w
	left := v.queue.size.Load()
	if left <= 0 || w.Sizer.Cost == 0 {
		return
	}
	cost := w.Sizer.Cost
	if w.IsCaller && w.Done > 0 {
		// The mean, since a chunk in which the set grew says little; and what
		// made the keys that wait has cost something, too.
		cost = min(cost, float64(now)/float64(int64(w.Done)+left))
	}
	v.call.SetCost(cost)
	worth := time.Duration(cost * float64(left))
	if now >= time.Duration(v.speculateFrom.Load()) {
		// Nobody knows what will follow from a key. As in all such cases, as much
		// is to be expected as has been.
		worth = max(worth, now/2)
	}
	least := 2 * call.WakeCost
	if cost < float64(call.ChunkTime) {
		least = speculativeWorth
	}
	if now < call.Sure || worth < least || !sharable(cost) {
		return
	}
	v.call.Watch()
	v.call.Spawn(worth)
}

// sharable reports whether keys that cost that much alone, ns, are done sooner together,
// as far as is known: with sharingCost on top of each, and a tenth lost to all else.
func sharable(cost float64) bool {
	return cost == 0 || cost >= float64(call.ChunkTime) || (cost+sharingCost)/float64(runtime.GOMAXPROCS(0)) < 0.9*cost
}

// spawn starts a helper if what is in the queue pays for it.
func (p *walker[K]) spawn() {
	c := p.v.call.Call
	switch {
	case c.Full():
	case p.w.Aside || p.slow():
		c.SpawnOne()
	case p.mode == immediate:
		p.v.needHelper() // this visit is long, and nobody else would visit what it pushes
	default:
		c.Spawn(time.Duration(c.Cost() * float64(p.v.queue.size.Load())))
	}
}

// needHelper starts a helper, whatever it costs, if there is none.
func (v *walk[K]) needHelper() {
	if v.call.Helpers() == 0 {
		v.call.SpawnOne()
	}
}

// Left returns how many keys are in the queue.
func (v *walk[K]) Left() int64 { return v.queue.size.Load() }

// Owns reports false: a walker that leaves moves all its keys to the queue.
func (v *walk[K]) Owns(*call.Worker) bool { return false }

// Again reports false: the caller leaves when all keys have been visited.
func (v *walk[K]) Again() bool { return false }

// Progress counts chunks.
func (v *walk[K]) Progress() int64 { return v.chunks.Load() }

// Outlook says that a walk lasts, since nobody knows what follows from a key. Where it
// is stalled, helpers could share the work of a walker that is alone.
func (v *walk[K]) Outlook(stalled bool) time.Duration {
	if stalled && v.call.MayGrow() {
		v.wanted.Store(true)
	}
	if !sharable(v.call.Cost()) {
		return 0
	}
	return call.GovernWorth
}
