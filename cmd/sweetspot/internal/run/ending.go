package run

import (
	"errors"
	"fmt"
	"io/fs"
	"time"
)

type ending struct {
	status int           // the exit status; 0 if a signal ended it, statusNone if nobody knows
	signal int           // the signal that ended it, or 0
	cpu    time.Duration // user and system, of the job and of what it waited for
	rss    int64         // bytes; the largest of its processes
}

// Exit statuses that are not those of a process: what a shell says of a command
// that it cannot run, and what GNU parallel logs for a job that it ended.
const (
	statusNone        = -1
	statusNotRunnable = 126
	statusNotFound    = 127
)

// statusOf returns the status of a command that cannot be run.
func statusOf(err error) int {
	if _, missing := errors.AsType[notFound](err); missing || errors.Is(err, fs.ErrNotExist) {
		return statusNotFound
	}
	return statusNotRunnable
}

func (e ending) failed() bool { return e.status != 0 || e.signal != 0 }

// code returns the exit code that a shell would have for it.
func (e ending) code() int {
	switch {
	case e.signal != 0:
		return exitSignal + e.signal
	case e.status < 0:
		return exitError
	}
	return e.status
}

// String says how a job failed.
func (e ending) String() string {
	if e.signal != 0 {
		return fmt.Sprintf("signal %d", e.signal)
	}
	return fmt.Sprintf("exit status %d", e.status)
}
