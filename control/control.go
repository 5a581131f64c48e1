package control

import "time"

// A Reading is what the sensors say at one instant. Its counters only grow, so the
// difference of two readings describes the window between them.
//
// Times are in seconds unless typed; CPU figures are CPU seconds, so two fully busy
// CPUs add 2 per second.
type Reading struct {
	At time.Duration // time the loop has been running, idle stretches left out

	Limit    int  // the limit in force
	Min, Max int  // the bounds and vetoes that hold now; 0 means none
	Eager    bool // more units in flight cost nothing: how long they take is bounded elsewhere, as by Objective
	InFlight int  // units running now
	Waiting  int  // units waiting for a permit now

	Completed int64   // units finished with success
	Units     float64 // their weight; equal to Completed if units are not weighed
	Overloads int64   // units whose outcome said "too much": 429, timeout, out of memory
	Ignored   int64   // units that ended in another way, which teaches nothing: cancelled, bad input

	Timed      int64   // successful units whose residence was measured
	Residence  float64 // sum of their times in flight, s
	Residence2 float64 // sum of the squares of those times, s²
	Late       int64   // of Timed, those that took longer than a LatencyReader's LateAfter; else 0

	TimedSince     int64   // as Timed, of units started since the limit last changed
	ResidenceSince float64 // as Residence, of those units, s

	// Latencies counts the times in flight whose sum is Residence, if the controller is
	// a LatencyReader that asks for it; otherwise it is nil. It changes with the next
	// reading: copy what you keep.
	Latencies *Histogram

	Occupancy float64 // integral of InFlight over time, s
	Bound     float64 // time during which the limit was binding: callers waited, or many were turned away, s

	OwnCPU     float64 // CPU seconds used by this work (with its child processes)
	MachineCPU float64 // those, and what others take away of CPUs: the rest of CPUs is idle
	Runnable   float64 // integral of the goroutines that were ready but had no CPU, s
	CPUs       float64 // CPUs available to us, such as 1.5
	Tick       float64 // OwnCPU trails each running thread by up to this, s; 0: unknown, as with clocks of 10 ms

	// Asleep is the share of the units in flight that neither run nor want to, nor wait for
	// a disk, as far as the sensor sees that; 0 where it does not.
	Asleep float64

	Collections int64 // garbage collections of this program, if the work is done in it

	// Others is what other loops do whose units queue, while those of this loop queue
	// too, so that they may share a bottleneck. It covers the loops of this process and
	// of processes that share a name. It does not change while there are none.
	Others Others
}

// Others are sums over other loops that only grow.
type Others struct {
	Work float64 // each adds 1 a second while it does as much as usual
	Time float64 // each adds 1 a second, s
}

// Plus returns the sum of o and p.
func (o Others) Plus(p Others) Others { return Others{o.Work + p.Work, o.Time + p.Time} }

// Minus returns the difference of o and p.
func (o Others) Minus(p Others) Others { return Others{o.Work - p.Work, o.Time - p.Time} }

// A Decision is a controller's answer to a Reading.
type Decision struct {
	// Limit is the limit to put in force. The caller clamps it to its bounds and
	// ceilings; the controller sees the result in Reading.Limit.
	Limit int
	// After is how long the controller needs no new reading; 0 asks for the next tick.
	// The caller may ask earlier, as when units report overload, or later, if its ticks
	// are rare.
	After time.Duration
	// Soon asks for the next readings at twice the usual pace, because the measurement
	// in progress may end between the usual ticks.
	Soon bool
	// Experiment says that Limit is on trial: the controller may return to the previous
	// limit.
	Experiment bool
	// Reason explains a decision. Its Kind is None if nothing was decided.
	Reason Reason
}

// A Controller decides the limit from readings. It is deterministic: the same readings
// give the same decisions. It reads no clock, starts no goroutine and holds nothing
// that must be closed, so a controller may simply be dropped.
//
// A Controller serves one loop and is called by one goroutine at a time.
type Controller interface {
	Next(Reading) Decision
}
