// Package call runs one parallel call: its caller and the helpers that join it.
//
// A [Job] hands out the items, from ranges of numbers (package ranges), a queue (stream)
// or stacks of keys (frontier); a [Call] decides how many goroutines work on them. Each
// worker calls Job.Work once, which claims a chunk, does it, and calls [Worker.Boundary]
// or [Worker.Account] before the next one: there the call measures, starts helpers, and
// reports to a limiter. Nothing happens per item.
package call
