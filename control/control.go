package control

import "time"

// A Reading is what the sensors say at one instant. The counters only grow, so
// the difference of two readings describes the window between them.
//
// Times are seconds unless typed; CPU figures are CPU seconds, so that two
// fully busy CPUs add 2 per second.
type Reading struct {
	At time.Duration // time the loop has been running, idle stretches left out

	Limit    int // the limit in force
	Min, Max int // the bounds and vetoes that hold now; 0 means none
	InFlight int // units running now
	Waiting  int // units waiting for a permit now

	Completed int64   // units finished with success
	Units     float64 // their weight; equal to Completed when nobody weighs
	Overloads int64   // units whose outcome said "too much": 429, timeout, out of memory
	Ignored   int64   // units that ended in another way, which teaches nothing: cancelled, bad input

	Timed      int64   // successful units whose residence was measured
	Residence  float64 // sum of their times in flight, s
	Residence2 float64 // sum of the squares of those times, s²

	TimedSince     int64   // as Timed, of units started since the limit last changed
	ResidenceSince float64 // as Residence, of those units, s

	// Latencies counts the times in flight of which Residence is the sum, if the
	// controller is a LatencyReader that asks for it; else it is nil. What it
	// points to changes with the next reading: what is to be kept must be copied.
	Latencies *Histogram

	Occupancy float64 // integral of InFlight over time, s
	Bound     float64 // time during which the limit held somebody back or sent many away, s

	OwnCPU     float64 // CPU seconds used by this work (with its child processes)
	MachineCPU float64 // those, and what others take away of CPUs: the rest of CPUs is idle
	Runnable   float64 // integral of the goroutines that were ready but had no CPU, s
	CPUs       float64 // CPUs available to us, such as 1.5
	Tick       float64 // OwnCPU trails each running thread by up to this, s; 0: unknown, as with clocks of 10 ms

	Collections int64 // garbage collections of this program, if the work is done in it

	// Others is what other loops do whose units queue, as those of this one do, so that
	// they may share a bottleneck: of the process, and of those that share a name. It stands
	// still while there are none.
	Others Others
}

// Others are sums over loops that only grow.
type Others struct {
	Work float64 // each adds 1 a second while it does as much as usual
	Time float64 // each adds 1 a second, s
}

// Plus returns the sum of o and p.
func (o Others) Plus(p Others) Others { return Others{o.Work + p.Work, o.Time + p.Time} }

// Minus returns what o has more than p.
func (o Others) Minus(p Others) Others { return Others{o.Work - p.Work, o.Time - p.Time} }

// A Decision is a controller's answer to a Reading.
type Decision struct {
	// Limit is the limit to put in force. The caller clamps it to its bounds
	// and vetoes; the controller sees the result in Reading.Limit.
	Limit int
	// After is how long the controller needs no new reading; 0 means that it
	// wants the next tick. The caller may ask earlier, as when units report overload, or
	// later, where its ticks are rare.
	After time.Duration
	// Soon asks for the next readings at twice the usual pace: a measurement
	// under way can end sooner than the usual ticks would show.
	Soon bool
	// Experiment says that Limit is on trial: it is not the limit that stands.
	Experiment bool
	// Reason explains a decision. Its Kind is None while nothing was decided.
	Reason Reason
}

// A Controller decides the limit from readings. It is deterministic: the same
// readings give the same decisions. It reads no clock, starts no goroutine and
// holds nothing that must be closed, so a controller may simply be dropped.
//
// A Controller serves one loop and is called by one goroutine at a time.
type Controller interface {
	Next(Reading) Decision
}
