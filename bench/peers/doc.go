// Command peers measures the parallel calls beside the libraries and the hand-written code
// that they replace, and writes BENCHMARKS.md.
//
//	go run ./peers -quick
//
// Section Parallel calls of bench/README.md has more such lines; section Method of the report
// says how it measures.
package main
