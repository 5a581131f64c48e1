// Package ranges hands out the numbers from 0 to n as chunks, for the calls on slices and
// ranges (see package call).
//
// Each worker owns a [Span] and claims chunks from its front. A worker that has run out
// steals half of what the richest of a few others owns. A [Job] does that for callbacks
// that are given items; a [Body] for functions that take their items by themselves, may
// give some back, and may keep their range longer than they run.
package ranges
