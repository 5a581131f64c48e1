package loop

import (
	"runtime"
	"sync/atomic"
	"time"
)

// ticks says how often a governor ticks: every 10 ms on average, since the CPU clocks of
// many kernels step by that much. Where many are awake in the process each ticks less
// often, so that all together cost little; and a controller that needs no reading for a while
// gets few.
type ticks struct {
	count   atomic.Int64    // for their jitter, and as a sign of life
	stretch int64           // how many governors it makes room for; at most doubles from tick to tick
	counted runtime.Cleanup // of ticking, for a governor that is dropped while it ticks
	asleep  atomic.Bool     // until the controller wants to be asked: an overload ends it
}

var ticking atomic.Int64

const (
	// atEase is how many governors tick at the usual pace. A tick takes some 7 µs, the
	// timer and what wakes up for it included, so 6,400 a second are a twentieth of a CPU.
	atEase = 64
	// few may stay counted though they were dropped: others then tick a ninth less often.
	few = atEase / 8
	// longestSleep is how long a controller may sleep, in ticks: ceilings may fall meanwhile, and
	// what is in flight is sampled.
	longestSleep = 10
)

func (k *ticks) begin() {
	// A governor that is left in a synctest bubble with units in flight never comes to rest. If
	// it is one of a few, that hardly slows down the others, and costs no allocations.
	if ticking.Add(1) > few {
		k.counted = runtime.AddCleanup(k, func(n *atomic.Int64) { n.Add(-1) }, &ticking)
	}
	k.stretch = 0
}

func (k *ticks) end() {
	k.counted.Stop()
	ticking.Add(-1)
}

// length returns that of the next tick. It varies, so that timers in the work, which come in
// bursts, are not seen at each tick or never.
func (k *ticks) length() time.Duration {
	lengths := [...]time.Duration{10, 8, 12, 7, 11, 13, 9}
	return lengths[k.count.Add(1)%int64(len(lengths))] * time.Millisecond
}

// next returns the time to the next tick of a governor that has work, after which the
// controller wants to be asked in wanted; one in a hurry gets half. At first ticks are as
// short as ever: what lasts for less than the interval would be seen in full or not
// at all.
func (k *ticks) next(wanted time.Duration, soon bool) time.Duration {
	d := k.length()
	k.stretch = max(atEase, min(2*k.stretch, ticking.Load()))
	every := d * time.Duration(k.stretch) / atEase
	if soon {
		every /= 2
	}
	late := max(every, min(wanted, longestSleep*d))
	k.asleep.Store(late > every)
	return late
}
