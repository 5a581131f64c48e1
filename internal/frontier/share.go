package frontier

import (
	"math"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/call"
)

// beginShared begins a shared phase. p has been alone so far.
func (p *walker[K]) beginShared() {
	v := p.v
	p.addBatch()
	if v.shared == nil {
		v.shared = v.set.Share()
	}
	v.call.SetCost(p.w.Sizer.Cost)
	v.queue.mu.Lock()
	v.serial = false
	v.sharedAt = p.w.Began
	v.queue.size.Store(0)
	v.queue.mu.Unlock()
}

// resume chooses the mode in which p shares.
func (p *walker[K]) resume() {
	p.mode, p.room, p.added = batched, math.MaxInt, 0
	if p.slow() {
		p.mode = immediate
	}
}

// giveHalf moves the older half of the stack to the queue, if that has less than half
// as many keys. The oldest keys lead to the most, since they are the nearest to the
// roots. It reports whether it did.
func (p *walker[K]) giveHalf() bool {
	half := p.waiting() / 2
	if half == 0 || p.v.queue.size.Load() >= int64(half) {
		return false
	}
	p.give(half)
	return true
}

// giveAll moves all keys of p to the queue.
func (p *walker[K]) giveAll() {
	p.addBatches()
	p.give(p.waiting())
}

// give moves the n oldest keys of the stack to the queue.
func (p *walker[K]) give(n int) {
	if n == 0 {
		return
	}
	p.v.queue.add(p.keys[p.base : p.base+n])
	p.base += n
	switch left := p.waiting(); {
	case left == 0:
		p.keys, p.base = p.keys[:0], 0
	case p.base > left:
		p.keys = p.keys[:copy(p.keys, p.keys[p.base:])]
		p.base = 0
	}
}

// take fills the empty stack from the queue, and reports whether there was anything.
// queue.mu is held, and p is active.
func (p *walker[K]) take() bool {
	v := p.v
	if v.queue.len() == 0 {
		return false
	}
	p.keys = v.queue.take(p.keys, max(1, v.call.Config.MinChunk), p.most())
	p.base = 0
	return true
}

// takeTime is how much work a walker takes from the queue at most. All that is taken is copied,
// once more where visits seem to have become slow, and the copying itself makes them seem so: with
// keys of 512 bytes and visits of 5 µs, a Walk took 1.3 to 2.4 times the CPU time that it takes with
// this bound.
const takeTime = time.Millisecond

// most returns how many keys p should take from the queue at most.
func (p *walker[K]) most() int {
	switch cost := p.w.Sizer.Cost; {
	case p.slow():
		return 1
	case cost > 0:
		return int(min(float64(takeTime)/cost, math.MaxInt32))
	}
	return math.MaxInt
}

// endShared ends the shared phase if p is the only walker, nobody is about to join, and
// nothing is in the queue.
func (p *walker[K]) endShared() {
	v := p.v
	if v.queue.size.Load() > 0 || v.call.Accompanied() {
		return
	}
	p.addBatches()
	v.queue.mu.Lock()
	defer v.queue.mu.Unlock()
	if v.queue.active == 1 && v.queue.closed && v.queue.len() == 0 {
		p.mode = serial
		v.serial = true
		v.wanted.Store(false)
		v.backOff(p.w.Began)
	}
}

// sharedWorth is how long a shared phase must last to pay for having called the others.
const sharedWorth = 5 * call.WakeCost

// backOff puts the next shared phase off if the one that ends at now was too short to
// pay, for twice as long each time. queue.mu is held.
func (v *walk[K]) backOff(now time.Duration) {
	if now-v.sharedAt >= sharedWorth {
		v.vainPhases = 0
		return
	}
	v.vainPhases = min(v.vainPhases+1, 8)
	v.speculateFrom.Store(int64(now + call.ChunkTime<<v.vainPhases))
}
