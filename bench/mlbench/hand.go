package main

// grain is theirs for loops over numbers, reductions and merges.
const grain = 5000

// both runs two functions at the same time, the second one in a new goroutine.
func both(f, g func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		g()
	}()
	f()
	<-done
}

// split halves a range until a part has at most grain numbers, and calls body with each
// part.
func split(grain, lo, hi int, body func(lo, hi int)) {
	if hi-lo <= grain {
		body(lo, hi)
		return
	}
	mid := lo + (hi-lo)/2
	both(
		func() { split(grain, lo, mid, body) },
		func() { split(grain, mid, hi, body) },
	)
}

// splitReduce is split for parts that have a result.
func splitReduce[A any](grain, lo, hi int, part func(lo, hi int) A, merge func(a, b A) A) A {
	if hi-lo <= grain {
		return part(lo, hi)
	}
	mid := lo + (hi-lo)/2
	var left, right A
	both(
		func() { left = splitReduce(grain, lo, mid, part, merge) },
		func() { right = splitReduce(grain, mid, hi, part, merge) },
	)
	return merge(left, right)
}
