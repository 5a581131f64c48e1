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
	ring   []time.Duration // in the order of arrival
	oldest int             // index of the next to be replaced, once ring is full
	sorted []time.Duration
}

func (r *runtimes) add(d time.Duration) {
	if len(r.ring) < medianOf {
		r.ring = append(r.ring, d)
	} else {
		at, _ := slices.BinarySearch(r.sorted, r.ring[r.oldest])
		r.sorted = slices.Delete(r.sorted, at, at+1)
		r.ring[r.oldest] = d
		r.oldest = (r.oldest + 1) % medianOf
	}
	at, _ := slices.BinarySearch(r.sorted, d)
	r.sorted = slices.Insert(r.sorted, at, d)
}

// median returns the median, and false while there are too few.
func (r *runtimes) median() (time.Duration, bool) {
	n := len(r.sorted)
	if n < medianFrom {
		return 0, false
	}
	return (r.sorted[(n-1)/2] + r.sorted[n/2]) / 2, true
}
