package tests

import "testing"

func BenchmarkSums(b *testing.B) {
	sums := make([]int, 8)
	for w := range sums {
		go func() {
			for j := range 1_000_000 {
				sums[w] += j // want `quiet: each goroutine writes`
			}
		}()
	}
}
