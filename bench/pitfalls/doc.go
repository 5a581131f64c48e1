// Command pitfalls measures what each pitfall that sweetspot vet finds costs: the
// code of the pages in docs/checks, bad and good, on the same work and in the same
// run.
//
//	go run ./pitfalls                             # all: two minutes on a quiet machine
//	go run ./pitfalls -only recspawn,shardpad -rounds 7
//	go run ./pitfalls -only maxprocs -procs 1     # in a container with a CPU limit of 1
//	go run ./pitfalls -memory                     # what each form takes from the system
//
// The forms of a work take turns within a round, each for at least -sample, and
// the ratios are formed within the round; the table has their medians and the
// intervals in which the true medians lie with 95 %. Rounds wait until other
// processes use less than a tenth of a CPU, and are repeated if they begin to use
// more, for as long as -patience; if few rounds were left alone, all count, and the
// table says so. Where a machine is never quiet, short samples and priority help:
//
//	go build ./pitfalls && sudo chrt -f 5 ./pitfalls -sample 20ms -patience 1s
//
// but not for maxprocs, as a CPU limit does not hold for real-time priority.
//
// The same forms are Go benchmarks, so that sweetspot diagnose can look at them:
//
//	go test -run '^$' -bench . ./pitfalls
package main
