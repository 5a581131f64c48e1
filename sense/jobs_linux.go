package sense

import "time"

// jobMemory is the room for child processes.
type jobMemory struct {
	gauge    *memoryGauge
	children *Children
	blind    bool // the bound is due to a lack of knowledge, not of memory
}

func (m *jobMemory) why() string { return whyMemory(m.blind, m.gauge.room) }

func whyMemory(blind bool, r room) string {
	if blind {
		return "memory: what a job needs is not known yet"
	}
	return r.why()
}

func (m *jobMemory) look(b *bound, now time.Duration, peak, inFlight int) {
	room := m.gauge.room
	if m.blind = false; !room.ok {
		b.free()
		return
	}
	spare, held, blind := m.children.fits(now, room, (reach-1)*peak)
	m.blind = blind
	switch {
	case room.free < -room.margin/2 && held > room.margin/2:
		b.cut(peak, inFlight)
	case m.children.asked: // each start is asked about: a law that is held down as well would not try more
		b.free()
	case spare < (reach-1)*peak:
		b.held, b.units = 0, max(peak, inFlight+spare)
	default:
		b.free()
	}
}

// After a look found that a job had grown by a notable part, it counts as growing for lately,
// or for a tenth of its life until then if that is longer. So even a job that grows evenly over
// its whole life counts. The time in which it waited for a CPU or a disk does not count. A job
// touches its memory when it begins or while it computes; one that has done neither for so long
// waits for something else.
const (
	lately     = 30 * time.Millisecond
	latelyPart = 10
)

// unknownNeed is the memory that a job is assumed to need while it grows, before any
// has ended.
const unknownNeed = 2 << 30

// unknown is that need. If it is known what the largest ended job or earlier child held, mistrust times
// that is enough, because others may be different, but at least twice what that one held.
func (f *family) unknown() float64 {
	most := max(f.expected, f.memory.most)
	if most == 0 {
		return unknownNeed
	}
	return max(min(mistrust*most, unknownNeed), 2*most, leastNeed)
}

const (
	mistrust  = 16
	leastNeed = 64 << 20 // less is no danger
)

// growing reports whether the job may still grow, by the last look.
func (j *job) growing() bool { return j.still < max(lately, j.settled/latelyPart) }

// A forecast is what the running jobs, and more of them, may need.
type forecast struct {
	held     float64 // what the running ones hold
	rest     outlook // what they may take beyond that
	one      outlook // what another takes
	strange  outlook // the same for one of which too little is known
	examples int     // of how many more enough is known
	record   float64 // what one takes that is larger than all before
	blind    bool    // what a job needs is unknown yet
}

// forecast returns the forecast of the family. A few examples may mislead about all jobs that
// begin like them, so each is an example for a bounded number of jobs that still grow. More of
// these may be as large as the first, of which nothing was known. It is called with f.mu held.
func (f *family) forecast(now time.Duration, each int) forecast {
	p := forecast{examples: f.memory.n, blind: f.memory.n == 0}
	largest := 0.0
	for _, j := range f.order {
		p.held += j.held
		largest = max(largest, j.held)
		if !j.growing() {
			p.examples++
		}
	}
	p.examples *= each
	p.record, p.strange = f.memory.record(largest), outlook{mean: max(f.unknown(), 2*largest)}
	if p.one = (outlook{mean: p.record}); !p.blind {
		p.one = f.memory.another(p.record)
	}
	for _, j := range f.order {
		growing := j.growing()
		switch {
		case growing && p.examples < 1:
			p.rest.mean += p.strange.mean - j.held
		case !p.blind:
			p.rest = p.rest.plus(f.memory.growth(j.held, j.age(now), growing, p.record), 1)
		case growing:
			p.rest.mean += p.record - j.held
		default:
			p.rest.mean += (recordFactor - 1) * j.held
		}
		if growing {
			p.examples--
		}
	}
	return p
}

// more returns how many more jobs fit into free bytes, at most most.
func (p forecast) more(free float64, most int, deviations float64) (n int) {
	for ; n < most; n++ {
		if p.examples--; p.examples < 0 {
			p.one = p.strange
		}
		if p.rest = p.rest.plus(p.one, 1); p.rest.within(deviations) > free {
			break
		}
	}
	return n
}

// fits returns how many more jobs fit into free bytes, at most most, beside the
// running ones and their growth; what these hold; and whether what a job needs is
// unknown yet.
func (f *family) fits(now time.Duration, free float64, most int) (n int, held float64, blind bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.forecast(f.time(now), 1)
	return p.more(free, most, deviations), p.held, p.blind
}

// fits asks the forecast of the family, and looks at the family again if the
// answer is close.
func (c *Children) fits(now time.Duration, r room, most int) (n int, held float64, blind bool) {
	if n, held, blind = c.family.fits(now, r.free, most); n < most && n <= c.family.running() {
		c.watcher.round(now, 0, &c.family)
		n, held, blind = c.family.fits(now, r.free, most)
	}
	return n, held, blind
}

// An admission says whether memory allows another child, and remembers the answer
// until it may be wrong.
type admission struct {
	left  int           // children that may start without another look
	until time.Duration // but no later
	asked bool          // Admits has been called
}

const (
	// admissionLasts is how long a look serves.
	admissionLasts = 50 * time.Millisecond
	// admissionMost bounds what a look may find, and with it its time.
	admissionMost = 4096
)

// Admits reports whether one more child can most likely start now without memory running out:
// the free memory must hold it, the starting ones that were admitted and not reported by
// Started yet, and what the running ones may still grow by, judged by the children that ended.
// If not, why says what is short. Once it has been asked, the ceiling of [Children.Sense]
// leaves that to it, unless memory runs out. Where the system does not say how much memory is
// free, every child is admitted.
//
// A call takes some 100 ns if memory is plentiful; otherwise it takes about 10 µs, and
// 8 µs for each process of running children. It may be made from any goroutine.
func (c *Children) Admits(starting int) (ok bool, why string) {
	h := c.sampler.host
	h.mu.Lock()
	defer h.mu.Unlock()
	now := c.sampler.clock()
	a := &c.admission
	a.asked = true
	if a.left > 0 && now < a.until {
		a.left--
		return true, ""
	}
	room := h.room()
	if !room.ok {
		return true, ""
	}
	n, _, blind := c.fits(now, room, admissionMost)
	a.left, a.until = max(0, n-starting-1)/4, now+admissionLasts
	if n > starting || c.lends(now, room.free, starting) {
		return true, ""
	}
	return false, whyMemory(blind, room)
}
