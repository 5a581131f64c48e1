// Package dissect looks into what a process does while it works, and says where two of them
// differ: by a CPU profile, a profile of allocations, an execution trace, and the compiler's
// escape analysis. Section Diagnosis of lab/README.md says when two differ.
//
// [Record] runs work under one [Instrument], which should have a process of its own: a trace
// shows up in a CPU profile, and the rate of a profile of allocations must not change while
// it lasts. [Open] and [Compare] read the recordings, and [Escapes] asks the compiler. What
// other processes were recorded with is taken apart by lines of the user's code, which are
// charged with what they call, by [Tracing.Activity], [Weigh], [ReadCounts] and [HeapVariables].
package dissect
