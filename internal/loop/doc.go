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
// The controller counts turns of a permit: a unit between Acquire and Release is one, and
// so is a chunk of a parallel call, whose items were done one after the other. Residence,
// occupancy and completions then fit together (Little's law), and the weight of a turn
// says how much was done in it. [Stats] counts units: the items of a chunk, each for itself.
package loop
