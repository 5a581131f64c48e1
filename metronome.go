package sweetspot

import (
	"runtime"
	"sync/atomic"
	"time"
)

// A metronome says how often a governor ticks: every 10 ms on average, since the CPU clocks of
// many kernels step by that much. Where many are awake in the process each ticks less
// often, so that all together cost little; and a law that needs no reading for a while
// gets few.
type metronome struct {
	count   atomic.Int64    // of ticks: for their jitter, and as a sign of life
	stretch int64           // how many governors it makes room for; at most doubles from tick to tick
	counted runtime.Cleanup // of awake, for a Limiter that is dropped while it is
	asleep  atomic.Bool     // until the law wants to be asked: an overload ends it
}

// awake counts the governors that tick.
var awake atomic.Int64

const (
	// atEase is how many governors tick at the usual pace. A tick takes some 7 µs, the
	// timer and what wakes up for it included, so 6,400 a second are a twentieth of a CPU.
	atEase = 64
	// longestSleep is how long a law may sleep, in ticks: ceilings may fall meanwhile, and what
	// is in flight is sampled.
	longestSleep = 10
)

// begin starts the beat of l's governor.
func (m *metronome) begin(l *Limiter) {
	awake.Add(1)
	// A Limiter that is left in a synctest bubble with units in flight never comes to rest.
	m.counted = runtime.AddCleanup(l, func(n *atomic.Int64) { n.Add(-1) }, &awake)
	m.stretch = 0
}

func (m *metronome) end() {
	m.counted.Stop()
	awake.Add(-1)
}

// tick returns the length of the next tick, off the beat of timers in the work, whose
// bursts would be seen at each tick or never.
func (m *metronome) tick() time.Duration {
	lengths := [...]time.Duration{10, 8, 12, 7, 11, 13, 9}
	return lengths[m.count.Add(1)%int64(len(lengths))] * time.Millisecond
}

// next returns the time to the next tick of a governor that has work, after which the
// law wants to be asked in wanted; a law in a hurry gets half. At first ticks are as
// short as ever: what lasts for less than the interval would be seen in full or not
// at all.
func (m *metronome) next(wanted time.Duration, soon bool) time.Duration {
	d := m.tick()
	m.stretch = max(atEase, min(2*m.stretch, awake.Load()))
	every := d * time.Duration(m.stretch) / atEase
	if soon {
		every /= 2
	}
	late := max(every, min(wanted, longestSleep*d))
	m.asleep.Store(late > every)
	return late
}
