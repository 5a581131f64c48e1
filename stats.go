package sweetspot

import (
	"time"

	"github.com/sweetspot-go/sweetspot/control"
)

// Stats describes how a Limiter is doing. The counts are totals since New. The rates
// cover about the last second of work. At rest they keep the rates of the last work;
// InFlight is then 0.
type Stats struct {
	Limit    int // in force
	InFlight int // may exceed Limit for a while after Limit was lowered
	Waiting  int
	Manual   bool // Limit was set by SetLimit, not by the law

	Reserved  int64 // weight in flight, at most the [Budget]; 0 without one
	Reserving int   // of the units in flight, those that wait for their weight

	// A unit of a parallel call is an item.
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

// Stats returns the present figures. Limit, InFlight and Waiting belong to one instant.
// Measured values are at most one tick old: 10 ms, or more if over sixty Limiters are
// in use or the law sleeps. It costs three mutexes.
func (l *Limiter) Stats() Stats { return Stats(l.loop.Stats()) }

// A Decision records one choice of the limit.
type Decision struct {
	Seq      int64         // 1 for the first since New, and so on: no number is left out
	At       time.Duration // time with work in flight since New
	From, To int           // the limit before and after; equal where it was decided to stay, or only observed
	Reason   control.Reason
}

// Decisions returns the newest decisions, oldest first: every limit tried, every move
// and every decision to stay, with what was measured. The last 256 are kept; the slice
// is a copy. An experiment has two decisions, its beginning and its result, not one for
// each change of the limit in between.
func (l *Limiter) Decisions() []Decision {
	kept := l.loop.Decisions()
	list := make([]Decision, len(kept))
	for i, d := range kept {
		list[i] = Decision(d)
	}
	return list
}

// DecisionCounts returns how many decisions of each kind were made since New, including
// those that [Limiter.Decisions] no longer has. Kinds without any are left out.
func (l *Limiter) DecisionCounts() map[control.Kind]int64 { return l.loop.Kinds() }

// Waits returns how long callers waited for a permit since New, including waits that
// were cancelled. A caller that found a permit free is not counted. Only a Limiter with
// a name (see [Name]) measures waits; for others all counts are 0.
func (l *Limiter) Waits() control.Histogram { return l.loop.Waits() }
