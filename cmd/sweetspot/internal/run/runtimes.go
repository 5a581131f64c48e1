package run

import (
	"slices"
	"time"
)

const (
	// medianOf is how many of the newest run times the median is taken of: enough
	// to stand still, and few enough to follow jobs that grow, and to cost nothing.
	medianOf = 999
	// medianFrom is from how many run times there is a median. One or two say
	// little: the first jobs often meet cold caches.
	medianFrom = 3
)

// runtimes keeps the newest run times of jobs.
type runtimes struct {
	ring []time.Duration
	next int // index of the next to be replaced, once ring is full
}

func (r *runtimes) add(d time.Duration) {
	if len(r.ring) < medianOf {
		r.ring = append(r.ring, d)
		return
	}
	r.ring[r.next] = d
	r.next = (r.next + 1) % medianOf
}

// median returns the median, and false while there are too few.
func (r *runtimes) median() (time.Duration, bool) {
	n := len(r.ring)
	if n < medianFrom {
		return 0, false
	}
	sorted := slices.Sorted(slices.Values(r.ring))
	return (sorted[(n-1)/2] + sorted[n/2]) / 2, true
}
