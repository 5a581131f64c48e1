package run

import "math"

// Where a list is over before the law has decided anything, each run would begin where the one before
// began. So the search goes on from run to run: a run whose limit held jobs back, while they left the
// CPUs idle, has the next one try twice as many. That stands if it pays, and then goes on.
//
// A trial is taken once. It counts as lost before the run begins, so one that fails, hangs or is
// stopped for what it did is not tried again.

// A stand is what a run did at one limit, in which it stood from its first job to the last.
type stand struct {
	limit   int
	most    int     // jobs that ran at a time
	seconds float64 // that one took
	cpu     float64 // share of the CPUs that they used
	failed  bool    // at least one
}

const (
	// standGain is the share of the growth in jobs at a time that must show in throughput, as in the
	// law's first climb.
	standGain = 0.3
	// standIdle is the share of the CPUs from which jobs are not waiting for anything else.
	standIdle = 0.5
)

// trial returns the limit that this run begins with in order to try it; 0 if it tries none.
func (l *lesson) trial() int {
	if l.last == nil {
		return 0
	}
	return l.last.Trial
}

// take takes the trial that the last run has left, if it has left one.
func (l *lesson) take() {
	if l.last.Trial == 0 {
		return
	}
	lost := *l.last
	lost.Trial, lost.Found = 0, true
	l.Found = true
	if l.last.Found || lost.Keep(l.file) != nil { // it would be tried again and again
		l.last = &lost
	}
}

// pays reports whether s did more than was done at the limit of before, by Little's law: the length
// of the list does not count then. It is undecided where too few jobs ran to tell.
func (l *lesson) pays(s stand) (yes, decided bool) {
	before := l.last
	if s.failed {
		return false, true
	}
	if s.limit != before.Trial || s.most <= before.Limit || before.Seconds <= 0 || s.seconds <= 0 {
		return false, false
	}
	grown := math.Log(float64(s.most) / float64(before.Limit))
	return grown-math.Log(s.seconds/before.Seconds) > standGain*grown, true
}

// goOn learns from a stand: whether the trial was worth it, and what the next run tries.
func (l *lesson) goOn(s stand) {
	if l.trial() > 0 {
		yes, decided := l.pays(s)
		if !decided {
			l.Trial = l.last.Trial
		}
		l.Found = decided && !yes
		if !yes {
			l.Rate, l.Seconds = l.last.Rate, l.last.Seconds // they belong to the limit
			return
		}
		l.Limit = s.limit
	}
	if !l.Found && s.most >= l.Limit && l.Limit == s.limit && s.cpu < standIdle && !s.failed {
		l.Trial = 2 * s.limit
	}
}
