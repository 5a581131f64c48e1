package sense

import (
	"math"
	"slices"
	"time"
)

// need is what jobs need in memory, learnt from jobs that ended.
type need struct {
	lives [window]life // of the newest, a ring
	n     int          // jobs learnt from
	most  float64      // the largest peak
}

// window is how many jobs an estimate rests on, so that a list whose later part is
// heavier is noticed.
const window = 32

// A life is what one job held.
type life struct {
	peak    float64       // its most, bytes; or an upper bound of it
	sure    float64       // what it held for certain
	settled time.Duration // its age when it came near its peak
	took    time.Duration
}

// An outlook is what jobs may take beyond what they hold, in bytes. Their growth adds
// up, and so do its variances, because jobs count as independent.
type outlook struct{ mean, variance float64 }

func (o outlook) plus(p outlook, times float64) outlook {
	return outlook{o.mean + times*p.mean, o.variance + times*p.variance}
}

// within returns how much that is at most, allowing for the given number of standard
// deviations.
func (o outlook) within(deviations float64) float64 { return o.mean + deviations*math.Sqrt(o.variance) }

// deviations is how many standard deviations beyond the mean are allowed for. All jobs rarely
// need their most at once: with 1.5, simulated jobs whose sizes differ by up to ten times take
// 0.92 to 1.12 of the time of the best number that hardly ever fails; 1 in 2,500 is killed.
const deviations = 1.5

// A job that sets a record is recordFactor times as large as the largest before it, as long as few
// are known. If the order is random, one in n+1 sets a record after n jobs, so that is its weight:
// with few jobs known an outlook is careful, with many it is what was seen.
const recordFactor = 1.5

// learn adds a job that was seen holding seen bytes (0 if never), came near that when
// it was settled old, ended when it was took old, and used maxRSS by getrusage
// (0 if unknown).
func (d *need) learn(seen float64, settled, took time.Duration, maxRSS int64) {
	l := life{peak: seen, sure: seen, settled: settled, took: took}
	if rss := float64(max(0, maxRSS)); rss > seen {
		switch {
		// A child starts out sharing its parent's memory, and the kernel counts
		// that into its maximum: up to our own size the figure may be ours.
		case rss > 1.25*ownPeak():
			l.peak, l.sure = rss, rss
			if rss > settledPart*seen {
				l.settled = took // it grew after the last look
			}
		case seen == 0:
			l.peak, l.settled = rss, took
		}
	}
	if l.peak == 0 {
		return
	}
	d.lives[d.n%window] = l
	d.n++
	d.most = max(d.most, l.peak)
}

// settledPart is the factor by which a job must have grown after the last look for that to
// count.
const settledPart = 1.05

// known returns what was learnt of the newest jobs.
func (d *need) known() []life { return d.lives[:min(d.n, window)] }

// record returns what a job that sets a record takes, given what a running one holds. The more
// jobs are known, the closer its distance from the largest comes to that between the largest
// ones: the geometric mean of the largest third over the next one, which is Hill's estimate of
// a tail (A simple general approach to inference about the tail of a distribution, 1975).
func (d *need) record(most float64) float64 {
	var room [window]float64
	peaks := room[:0]
	for _, l := range d.known() {
		peaks = append(peaks, l.peak)
		most = max(most, l.peak)
	}
	slices.Sort(peaks)
	n := len(peaks) / 3
	beyond, sum := peaks[len(peaks)-n:], math.Log(recordFactor)
	for _, p := range beyond {
		sum += math.Log(p / peaks[len(peaks)-n-1])
	}
	return most * math.Exp(sum/float64(n+1))
}

// growth returns what a job may take beyond what it holds; record is that of all jobs. A job that has
// stopped growing may go on, which is rare, but does not also set a record by that: to allow for both
// takes 2 to 11 % more time, and saves no job.
func (d *need) growth(held float64, age time.Duration, growing bool, record float64) outlook {
	if !growing {
		record = max(d.most, held)
	}
	return d.expect(record-held, func(l *life) (float64, bool) {
		if growing {
			return l.sure - held, l.sure > held
		}
		if l.settled < age {
			return 0, true // by now it had grown up
		}
		return max(0, l.sure-held), true
	})
}

// another returns what one more job may take.
func (d *need) another(record float64) outlook {
	return d.expect(record, func(l *life) (float64, bool) { return l.peak, true })
}

// expect returns the mean and variance of f over the known jobs that it counts, and
// over a record.
func (d *need) expect(record float64, f func(*life) (float64, bool)) outlook {
	known := d.known()
	sum, squares, n := 0.0, 0.0, 0.0
	for i := range known {
		if x, counts := f(&known[i]); counts {
			sum += x
			squares += x * x
			n++
		}
	}
	// Many jobs before the window make a record rarer, but not where none of it counts.
	rare := 1 / (n*float64(d.n)/float64(len(known)) + 1)
	mean, square := rare*record, rare*record*record
	if n > 0 {
		mean += (1 - rare) * sum / n
		square += (1 - rare) * squares / n
	}
	return outlook{mean, max(0, square-mean*mean)}
}
