// Command company measures the automatic limit in company, on the real machine: beside
// goroutines that compute, beside other Limiters, and beside other processes, which may
// share a name (sweetspot.Share, sweetspot run --share).
//
//	go run ./company -only shared,processes
//
// docs/company.md says how it measures, and has the figures.
package main
