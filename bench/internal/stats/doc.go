// Package stats holds the statistics of the benchmarks: medians and spreads of
// rounds, and the order in which a round takes its samples.
package stats
