// Package dissect looks into what a process does while it works, and says where
// two of them differ: by a CPU profile, a profile of allocations, an execution
// trace, and the compiler's escape analysis.
//
// # Recording
//
// [Record] runs work under one [Instrument] and leaves files in a directory that
// the usual tools read as well (go tool pprof, go tool trace). Each instrument
// should have a process of its own: a trace shows up in a CPU profile, and the
// rate of a profile of allocations must not change while it lasts.
//
// # Comparing
//
// [Open] reads what was recorded, and [Compare] sets several recordings of one
// kind of work beside several of another. One recording each would not tell what
// differs from what varies: a profile is a sample, and a scheduler does not do
// the same twice. So both are recorded several times, and a row differs if every
// recording of one side is above every recording of the other. By chance that
// happens once in 126 rows with five recordings each; with fewer than four it
// says little.
//
// # By lines of the user's code
//
// What a process of somebody else's was recorded with, by the flags of go test or by
// itself, is taken apart by lines: [Tracing.Activity] tells what became of the
// goroutines that each line has started, and how often they waited at which line;
// [Weigh] what each line costs of CPU time, memory, or waiting; [ReadCounts] how often
// each was executed; and [HeapVariables] what the compiler puts on the heap there. A
// [Scope] says which code is the user's: what it calls is charged to the line that
// calls it.
//
// # The compiler
//
// [Escapes] compiles the source of the work and returns what the compiler says of
// its variables. It needs the go command, but neither the network nor the source
// tree.
package dissect
