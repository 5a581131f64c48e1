// Command judged runs workloads that nobody here wrote: those by which other projects
// judge their own adaptive limits. All is simulated, in virtual time, and the same
// seeds give the same figures.
//
//	go run ./judged                          # all suites
//	go run ./judged -only vector -seeds 1-5  # one of them; -h lists them
//	go run ./judged -law gradient2           # another law of package control
//	go run ./judged -md                      # write the tables of docs/judged.md
//
// In all suites a limiter hands out permits in order of arrival, starts at the number of
// CPUs, 4, and is governed as a sweetspot.Limiter is. Its law gets readings every 10 ms on
// average, with the jitter of the real governor, while units are in flight, and no sooner
// than it asked for. Seeds change the jitter too. The work is remote, so no CPU is ever
// busy, and no limiter knows of others (Reading.Others does not grow).
package main
