package sweetspot

import (
	"time"

	"github.com/sweetspot-go/sweetspot/control"
)

// Stats says how a Limiter does. The counts are totals since New. The rates are
// of about the last second of work, so at rest they still say how the work went
// while there was some; InFlight tells.
type Stats struct {
	Limit    int // in force
	InFlight int // may exceed Limit for a while after Limit was lowered
	Waiting  int
	ByHand   bool // Limit was set by SetLimit or Fixed, not by the law

	// A unit of a parallel call is a chunk: Done if one of its items is, and Overloaded
	// to the share of those items that were, of them and the ones done.
	Completed int64 // units that ended as Done
	Ignored   int64
	Overloads int64

	Active     time.Duration // time with work in flight since New
	Rate       float64       // weight of Done units per second
	Residence  float64       // mean time in flight of timed units, s; 0 if none ended
	OwnCPU     float64       // CPUs that this work kept busy, such as 1.9
	MachineCPU float64       // those, and what others took away of CPUs
	CPUs       float64       // CPUs available; 0 before the first measurement
}

// Stats returns the present figures. Limit, InFlight, Waiting and Completed
// belong to one instant; what is measured is at most one tick old: 10 ms,
// or more where over sixty Limiters are in use or the law sleeps.
// It costs two mutexes.
func (l *Limiter) Stats() Stats {
	c := l.sem.Counters()
	l.gov.mu.Lock()
	defer l.gov.mu.Unlock()
	s := Stats{
		Limit: c.Limit, InFlight: c.InFlight, Waiting: c.Waiting,
		Completed: c.Completed, Ignored: l.ignored.Load(), Overloads: l.overloads.Load(),
		ByHand: l.hand > 0,
		Active: l.gov.r.At, CPUs: l.gov.r.CPUs,
	}
	l.gov.rates.fill(&s)
	return s
}

// A Change is one decision on the limit.
type Change struct {
	At       time.Duration // time with work in flight since New
	From, To int           // the limit before and after; equal where it was decided to stay, or only observed
	Reason   control.Reason
}

// Changes returns the newest decisions, oldest first: every limit tried, every
// move and every decision to stay, with what was measured. The last 256 are kept;
// the slice is a copy. Of an experiment, that it begins and what it found are
// told, not each change of the limit in between.
func (l *Limiter) Changes() []Change {
	l.gov.mu.Lock()
	defer l.gov.mu.Unlock()
	return l.gov.log.list()
}

// Decisions returns how many decisions of each kind there were since New, also
// those that [Limiter.Changes] no longer has. Kinds without any are not in it.
func (l *Limiter) Decisions() map[control.Kind]int64 {
	l.gov.mu.Lock()
	defer l.gov.mu.Unlock()
	m := make(map[control.Kind]int64)
	for k, n := range l.gov.log.kinds {
		if n > 0 {
			m[control.Kind(k)] = n
		}
	}
	return m
}

const (
	changesKept = 256
	// changesFirst is room for what a short parallel call decides.
	changesFirst = 4
)

// changes is a ring of the newest decisions.
type changes struct {
	first [changesFirst]Change
	ring  []Change
	next  int
	kinds [control.Manual + 1]int64
}

func (c *changes) add(ch Change) {
	if k := ch.Reason.Kind; k <= control.Manual {
		c.kinds[k]++
	}
	if c.ring == nil {
		c.ring = c.first[:0]
	}
	if len(c.ring) < changesKept {
		c.ring = append(c.ring, ch)
		return
	}
	c.ring[c.next] = ch
	c.next = (c.next + 1) % changesKept
}

func (c *changes) list() []Change {
	out := make([]Change, 0, len(c.ring))
	out = append(out, c.ring[c.next:]...)
	return append(out, c.ring[:c.next]...)
}

// rates keeps readings of the last second, one every tenth.
type rates struct {
	ring [11]control.Reading
	n    int
	// first is the first one, from which on CPU time is measured.
	first, last control.Reading
}

func (s *rates) add(r *control.Reading) {
	s.last = *r
	if s.n == 0 {
		s.n = 1 // the zero Reading: all totals begin at 0
		s.first = *r
	}
	if r.At-s.ring[(s.n-1)%len(s.ring)].At < 100*time.Millisecond {
		return
	}
	s.ring[s.n%len(s.ring)] = *r
	s.n++
}

func (s *rates) fill(st *Stats) {
	if s.n == 0 {
		return
	}
	a, b := &s.ring[max(0, s.n-len(s.ring))%len(s.ring)], &s.last
	t := (b.At - a.At).Seconds()
	if t <= 0 {
		return
	}
	st.Rate = (b.Units - a.Units) / t
	// The clocks of the CPUs step by up to 10 ms, so that over a short time more
	// may seem to be used than there is.
	most := max(b.CPUs, 1)
	st.OwnCPU = min((b.OwnCPU-a.OwnCPU)/t, most)
	st.MachineCPU = min((b.MachineCPU-a.MachineCPU)/t, most)
	if n := b.Timed - a.Timed; n > 0 {
		st.Residence = (b.Residence - a.Residence) / float64(n)
	}
}
