package run

import "time"

// scarceFor is how long a job waits for the machine to have room for a single
// process, with no other job running, before the run gives up. Files that we
// have too many of come back sooner, or never.
const (
	scarceFor      = time.Minute
	filesScarceFor = 2 * time.Second
)

// A scarcity is what a job knows that cannot start, as the machine has no room for it.
type scarcity struct {
	alone   time.Time // since when no job runs or starts; zero: one has
	started int64     // jobs of the run, when it was last tried
}

// lasts returns for how long no job has run or started that could give room back, nor held
// has what waits to be printed. Jobs may be so short that none is seen to run.
func (s *scarcity) lasts(running int, started int64, held bool) time.Duration {
	switch {
	case running > 0, started != s.started, held:
		s.alone = time.Time{}
	case s.alone.IsZero():
		s.alone = time.Now()
	}
	s.started = started
	if s.alone.IsZero() {
		return 0
	}
	return time.Since(s.alone)
}
