package process

import (
	"fmt"
	"time"
)

// An Ending is how a process ended.
type Ending struct {
	Status int           // the exit status; 0 if a signal ended it, negative if nobody knows
	Signal int           // the signal that ended it, or 0
	CPU    time.Duration // user and system, of the job and of what it waited for
	RSS    int64         // bytes; the largest of its processes
}

// Failed reports whether the process did not succeed.
func (e Ending) Failed() bool { return e.Status != 0 || e.Signal != 0 }

// String says how a job failed.
func (e Ending) String() string {
	if e.Signal != 0 {
		return fmt.Sprintf("signal %d", e.Signal)
	}
	return fmt.Sprintf("exit status %d", e.Status)
}
