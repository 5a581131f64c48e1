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
type runtimes []time.Duration

func (r *runtimes) add(d time.Duration) {
	if len(*r) == medianOf {
		*r = (*r)[1:]
	}
	*r = append(*r, d)
}

// median returns the median, and false while there are too few.
func (r runtimes) median() (time.Duration, bool) {
	n := len(r)
	if n < medianFrom {
		return 0, false
	}
	sorted := slices.Sorted(slices.Values(r))
	return (sorted[(n-1)/2] + sorted[n/2]) / 2, true
}
