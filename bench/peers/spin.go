package main

import (
	"context"
	"math"
	"time"
)

// work is the type of what is called for each item, by the loop and by everybody
// else: the same function through the same kind of value.
type work = func(ctx context.Context, v int) (int, error)

// spin computes for v rounds, each depending on the one before, and returns a
// number that depends on all of them.
func spin(_ context.Context, v int) (int, error) {
	x := uint64(v) | 1
	for range v {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return int(x >> 1), nil
}

// theWork is a variable so that no caller knows, and inlines, what it calls.
var theWork work = spin

// calibrate returns how many rounds of spin take a nanosecond. It is done once
// for a whole measurement, so that all processes do the same work. The fastest
// of several tries counts, as disturbances only slow.
func calibrate() float64 {
	const rounds = 100_000
	fastest := time.Duration(math.MaxInt64)
	for range 50 {
		start := time.Now()
		_, _ = theWork(context.Background(), rounds)
		fastest = min(fastest, time.Since(start))
	}
	return rounds / float64(max(1, fastest))
}

// uniform returns n items that take the time each.
func (e environment) uniform(n int, each time.Duration) []int {
	items := make([]int, n)
	for i := range items {
		items[i] = int(float64(each) * e.spins)
	}
	return items
}

// skewed returns n items whose time rises linearly from nothing to twice the
// mean.
func (e environment) skewed(n int, mean time.Duration) []int {
	items := make([]int, n)
	for i := range items {
		items[i] = int(2 * float64(mean) * e.spins * float64(i) / float64(n))
	}
	return items
}

// cuts returns where to cut items so that each of n parts takes about as long.
func cuts(items []int, n int) []int {
	const call = 4 // rounds that calling the function is worth
	total := 0
	for _, v := range items {
		total += v + call
	}
	at := []int{0}
	sum := 0
	for i, v := range items {
		if sum >= total*len(at)/n && len(at) < n {
			at = append(at, i)
		}
		sum += v + call
	}
	for len(at) <= n {
		at = append(at, len(items))
	}
	return at
}
