// Package vet finds code whose concurrency costs more than it gains: slots of one
// slice that goroutines write side by side, recursions that start a goroutine a
// call, channels that carry one cheap item at a time. Each check is an
// [analysis.Analyzer], for any driver of such: the command sweetspot vet, go vet
// -vettool, golangci-lint.
//
//	singlechecker.Main(vet.Analyzers(vet.Quiet)...)
//
// # Grades
//
// No static analysis knows whether a line is hot, and most of these patterns are
// harmless where it is not. Hence every finding has a [Grade], and [Analyzers] is
// told which ones to report. A [Quiet] finding is worth reading anywhere; an
// [Info] finding is true, but often deliberate; a [Hot] finding is only worth
// reading where a profile says that the line is hot.
//
// The checks, with the surest grade of their findings:
//
//   - chanarray (quiet): a channel that is used as an array
//   - chanitem (quiet): a channel that carries one cheap item at a time
//   - falseshare (quiet): slots of one slice that goroutines write side by side
//   - fieldshare (quiet): neighbouring fields or variables that two goroutines write
//   - ignore (quiet): a comment that is to silence a finding, and silences none
//   - iobound (info): as many workers as CPUs, each of which waits for others
//   - maxprocs (quiet): GOMAXPROCS set by hand
//   - recspawn (quiet): a recursion that starts a goroutine at every level
//   - shardpad (quiet): a table of locks, several to a cache line
//   - unboundedgo (info): a goroutine for each element of the data
//
// When in doubt, a check is silent: unknown types, sizes and callees count as
// reasons against a finding.
//
// # What is not looked at
//
// Generated files, and files of tests unless [Tests] is given. A package with type
// errors is not checked at all.
//
// # Silencing a finding
//
// A comment in the line of a finding, or in the line above, silences it:
//
//	//sweetspot:ignore falseshare there are two goroutines, and they run for 1 ms
//
// It names the check, or several with commas between, and a reason. One that lacks
// the reason, or names no check, is a finding of its own.
package vet
