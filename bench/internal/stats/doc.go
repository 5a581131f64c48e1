// Package stats holds the statistics of the benchmarks: medians, spreads and intervals of
// rounds, and how figures are written.
package stats
