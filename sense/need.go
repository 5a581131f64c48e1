package sense

// need is what a job needs in memory, learnt from the jobs that ended.
type need struct {
	n     int
	bound float64 // mean of each job's upper bound, bytes
	sure  float64 // mean of what each job held for certain
}

// window is over how many jobs the means run, so that a job list whose later
// part is heavier is noticed.
const window = 32

// learn adds a job that was seen holding seen bytes (0 if it never was) and
// whose getrusage says maxRSS (0 if unknown).
func (d *need) learn(seen float64, maxRSS int64) {
	bound, sure := seen, seen
	if rss := float64(max(0, maxRSS)); rss > 0 {
		// A child starts out sharing its parent's memory, and the kernel counts
		// that into its maximum: up to our own size the figure may be ours.
		if rss > 1.25*ownPeak() {
			bound, sure = max(seen, rss), max(seen, rss)
		} else if seen == 0 {
			bound = rss
		}
	}
	if bound == 0 {
		return
	}
	d.n = min(d.n+1, window)
	d.bound += (bound - d.bound) / float64(d.n)
	d.sure += (sure - d.sure) / float64(d.n)
}

// outlook returns what one more job needs at most, and by how much the inFlight
// jobs that run may still grow, given that a running one holds now bytes on
// average (0 if unknown), all in bytes.
func (d *need) outlook(now float64, inFlight int) (one, growth float64) {
	if now == 0 {
		now = d.sure / 2 // jobs too short to be seen: taken halfway on average
	}
	return max(d.bound, now), max(0, d.sure-now) * float64(inFlight)
}
