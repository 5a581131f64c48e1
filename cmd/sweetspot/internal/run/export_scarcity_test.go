package run

import "time"

// A Scarcity is that of a job which cannot start.
type Scarcity struct{ s scarcity }

func (s *Scarcity) Lasts(running int, started int64, held bool) time.Duration {
	return s.s.lasts(running, started, held)
}
