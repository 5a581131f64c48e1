// Command jobserver measures whole builds: by make, ninja and cargo with the best fixed -j of
// their own, and under sweetspot jobserver.
//
//	go run ./jobserver -only make
//
// Section Builds of bench/README.md says how it measures.
package main
