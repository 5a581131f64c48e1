// Package record builds benchmarks, or a command, and runs them under profiles and an
// execution trace, each GOMAXPROCS and each instrument in a process of its own. [Record]
// returns the evidence of each benchmark, or of the command.
//
// A test binary has flags for all instruments but the one that ends a trace that
// becomes too long: a file with that is added to the package. To a command is added
// what records it, around its function main. Both are added by an overlay, which the
// go command reads in place of files; the source tree is only read. What a command
// leaves is written every half second, so that one that is killed loses no more.
package record
