// Command company measures the automatic limit in company, on the real machine: beside
// goroutines that compute, beside other Limiters, and beside other processes, which may
// share a name (sweetspot.Share, sweetspot run --share).
//
//	go run ./company                          # all situations, three rounds: 25 minutes
//	go run ./company -quick                   # a first look: 4 minutes
//	go run ./company -only shared,processes   # beginnings of names do
//	go run ./company -rounds 5 -md            # write the table of docs/company.md
//
// A situation is a number of processes, which this program starts as children of its own,
// each with a number of Limiters and callers for each. In a round the best fixed number is
// measured, then the automatic limit from a cold start, its search included, then the
// fixed number again: the rate of a number is the mean of both. All Limiters have the same
// fixed number; the best one is that of a sweep at the beginning. It is the same Limiter
// with the option Fixed, so only the number differs.
//
// # What it prints
//
// docs/company.md explains the columns; all are medians over the rounds. Figures of a machine
// that does something else meanwhile say little: see drift, and others.
//
// The server is part of this program. It serves 64 units at a time, of 20 ms, and slows
// down with more than 160 there, as caches, locks and memory make servers do; for the jobs
// of sweetspot run it serves 24 at a time, of 150 ms.
package main
