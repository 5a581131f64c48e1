// Command mlbench measures programs that others wrote to compare the parallelism of
// languages: with the calls of sweetspot, which take no grain, beside goroutines with the
// grains that the authors chose by hand.
//
//	go run ./mlbench                               # all: some three minutes
//	go run ./mlbench -only msort,tokens
//	go run ./mlbench -rounds 31 -sample 10ms       # many short rounds: where other processes disturb
//	go run ./mlbench -quick                        # a first look
//	go run ./mlbench -md                           # write the table of bench/README.md
//
// The programs are those of the folder go of github.com/MPLLang/parallel-ml-bench, written
// anew from what they compute: mcss, msort, primes, sparse-mxv, tokens and linefit. There
// each has 100 million items and takes seconds. Here each has a size whose loop takes some
// 0.1 s, and one of a few milliseconds.
//
// Each program has three forms over the same inner loops:
//
//   - serial: no goroutine.
//   - by hand: a range is halved down to the grain, with a new goroutine for one of the
//     halves. The grain is 5000 numbers, 100 rows of the matrix, 1000 numbers to sort, or
//     one prime.
//   - ours: the call that fits, without a grain.
//
// Their combinators call a function for each number; here all forms get whole ranges.
//
// # How it measures
//
// The forms of a program take turns in one process, in a new random order in each round.
// Each runs for -sample in a round, at least once, and the median of its runs counts;
// garbage is collected before. A run that gives another result than the serial one is an
// error. Ratios are formed within a round. The table has their median over the rounds and
// the interval in which the true median lies with 95 %.
package main
