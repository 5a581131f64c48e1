// Package call runs one parallel call: its caller and the helpers that join it.
//
// A call has a [Job], which hands out the items, and a [Call], which decides how many
// goroutines work on them. Every parallel call of sweetspot on items is one; the jobs
// differ in where their chunks come from:
//
//	package    chunks
//	ranges     ranges of numbers, owned by workers and stolen
//	stream     a queue, filled by the caller from a sequence
//	frontier   stacks of keys, which bring forth others, and a queue
//
// The object of a job embeds a [Handle], engages a Call by it, begins and runs it.
// Job.Work is called once by each worker. It claims a chunk, does it, and calls
// [Worker.Boundary] or [Worker.Account] before the next one, which is where the call
// measures, starts helpers, and reports to a limiter. Nothing happens per item.
//
// The files, from the bottom up:
//
//   - sizer: what items cost, and how many make a chunk
//   - history: what earlier calls of a function have found
//   - weights: items that differ in size
//   - context, ending: the contexts of the callbacks, and of those that wait for a permit
//   - call: a call, its workers, its job, and what can be asked of it
//   - stop: how it fails, is cancelled and ends
//   - permit: what workers report to a limiter, and hold of it
//   - helper: how helpers start, join, leave and park
//   - govern: when a call gets a limiter of its own, or its helpers at once
//   - watch: looks after a call whose workers are all inside long items
//   - boundary: what happens between two chunks
//   - aside: a caller that produces items and leaves the work to helpers
//   - handle: a call from its beginning to its end
package call
