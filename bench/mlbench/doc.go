// Command mlbench measures programs that others wrote to compare the parallelism of
// languages: with the calls of sweetspot, which take no grain, beside goroutines with the
// grains that the authors chose by hand.
//
//	go run ./mlbench -only msort,tokens
//
// Section Programs of others of bench/README.md says what the programs are and how they are
// measured.
package main
