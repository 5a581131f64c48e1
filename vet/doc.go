// Package vet finds code whose concurrency costs more than it gains: slots of one slice
// that goroutines write side by side, recursions that start a goroutine per call,
// channels that carry one cheap item at a time. Each check is an [analysis.Analyzer],
// for any driver of analyzers: the command sweetspot vet, go vet -vettool,
// golangci-lint.
//
//	singlechecker.Main(vet.Analyzers(vet.Quiet)...)
//
// # Grades
//
// Static analysis cannot know whether a line is hot, and most of these patterns are
// harmless if it is not. So every finding has a [Grade], and [Analyzers] takes the
// grades to report. A [Quiet] finding is worth reading anywhere. An [Info] finding is
// true, but often deliberate. A [Hot] finding is only worth reading if a profile shows
// that the line is hot.
//
// The checks, with the surest grade of their findings:
//
//   - chanarray (quiet): a channel that is used as an array
//   - chanitem (quiet): a channel that carries one cheap item at a time
//   - falseshare (quiet): slots of one slice that goroutines write side by side
//   - ignore (quiet): a comment that should silence a finding, and silences none
//   - maxprocs (quiet): GOMAXPROCS set by hand
//   - recspawn (quiet): a recursion that starts a goroutine at every level
//   - shardpad (quiet): a table of locks, several to a cache line
//   - unboundedgo (info): a goroutine for each element of the data
//
// When in doubt, a check is silent: unknown types, sizes and callees count as reasons
// against a finding.
//
// # Numbers
//
// [Numbers] returns an analyzer of another kind: it lists the numbers that bound
// concurrency and were chosen by hand, with what the work behind each does.
//
// # What is not checked
//
// Generated files, and test files unless [Tests] is given. A package with type errors
// is not checked at all.
//
// # Silencing a finding
//
// A comment on the line of a finding, or on the line above, silences it:
//
//	//sweetspot:ignore falseshare there are two goroutines, and they run for 1 ms
//
// It names the check, or several separated by commas, and a reason. A comment without a
// reason, or without a check, is a finding of its own.
package vet
