package run

import "math"

// Where a list is over before the law has decided anything, each run would begin where the one before
// began. So the search goes on from run to run. If the limit held jobs back while the CPUs were idle,
// the next run tries twice the limit. If that pays, the limit is kept, and the run after it tries
// twice as many again.
//
// A trial is made once. It is recorded as lost before its run begins, so a trial that fails, hangs
// or is stopped is not made again.

// A stand is what a run did whose limit did not move.
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
	// standIdle is the CPU usage from which jobs do not mainly wait.
	standIdle = 0.5
)

// trial returns the limit that this run begins with in order to try it; 0 if it tries none.
func (l *lesson) trial() int {
	if l.last == nil {
		return 0
	}
	return l.last.Trial
}

// take begins the trial that the last run has asked for, if it has.
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

// pays reports whether s had more throughput than the limit before it, by Little's law: so lists of
// different length can be compared. It is undecided if too few jobs ran to tell.
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
