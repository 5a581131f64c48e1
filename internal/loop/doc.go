// Package loop closes a feedback loop: a [Loop] is a semaphore whose limit is decided by
// a [control.Controller] from what sensors say about the admitted work. It is the inside
// of sweetspot.Limiter, and of each parallel call that lasts long enough to need one.
//
//	          ┌──────────── limit ◄──────────────┐
//	          ▼                                  │
//	callers ─► semaphore ─► work ─► accounts     │ Decision
//	                                   │         │
//	       sensor ─────────────► meter ┴► controller
//	                                   Reading
//
// The files, from the bottom up:
//
//   - outcome, config: what a loop is given
//   - residence: sums of the time that units spent in flight
//   - plant: the semaphore, and the accounts of the units that went through it
//   - refusals, standstill, ticks, ceilings, waits: one rule or measurement each
//   - decisions, logging: the newest decisions, and their records
//   - stats: the present figures, and the rates of the last second
//   - meter: makes a [control.Reading] of the plant and the sensor
//   - governor: asks the controller at each tick, and sets the limit
//   - loop, permit, unit, chunk, inspect: what users of the package call
//
// # Accounts
//
// The controller counts turns of a permit: a unit between Acquire and Release is one, and
// so is a chunk of a parallel call, whose items were done one after the other. Residence,
// occupancy and completions then fit together (Little's law), and the weight of a turn
// says how much was done in it. [Stats] counts units: the items of a chunk, each for itself.
//
// # Ticks
//
// The governor runs from a timer that each tick re-arms, and only while units are in flight.
// A Loop at rest has no goroutine and no timer, and needs no Close. The first permit
// after a rest wakes it.
package loop
