package run

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/process"
	"github.com/sweetspot-go/sweetspot/internal/exitcode"
)

// Exit codes: those of GNU parallel, except that an end by a signal says so as
// shells expect it.
const (
	exitManyFailed = 101
	exitError      = 255
	exitSignal     = 128 // plus the signal's number
	exitPipe       = exitSignal + 13

	hangup = 1 // SIGHUP's number
)

// errPipe stops the run when nobody reads our output any more. It is no
// failure worth a message: "| head" does it.
var errPipe = errors.New("the reader of the output is gone")

// errListed is the cause of an end by an error of the list, which has been said.
var errListed error = &exitcode.Error{Code: exitError}

// stopped is the cause of a stop by a signal.
type stopped struct{ signal int }

func (s stopped) Error() string { return fmt.Sprintf("stopped by signal %d", s.signal) }

// shownOn returns err with a message that can be shown on a terminal, if f is one.
func shownOn(f *os.File, err error) error {
	if err == nil || !isTerminal(f) {
		return err
	}
	return visibleError{err}
}

// visibleError is an error without control characters in its message.
type visibleError struct{ error }

func (e visibleError) Error() string { return visible(e.error.Error()) }
func (e visibleError) Unwrap() error { return e.error }

// graver returns which of two causes of a stop counts, each nil if there is none: after a
// hang-up, a halt or an error of the list jobs finish, and what goes wrong then must not be
// hidden. Of two that are as grave it is the first.
func graver(first, second error) error {
	if gravity(second) > gravity(first) {
		return second
	}
	return first
}

func gravity(cause error) int {
	var s stopped
	switch {
	case cause == nil:
		return 0
	case errors.As(cause, &s) && s.signal == hangup:
		return 1
	case errors.Is(cause, errHalted):
		return 2
	case errors.Is(cause, errListed):
		return 3
	}
	return 4
}

// exit returns the error for a run that ended for a cause (nil: the input was
// worked off) with so many failed jobs.
func exit(cause error, failed int64) error {
	var s stopped
	switch {
	case errors.As(cause, &s):
		return &exitcode.Error{Code: exitSignal + s.signal}
	case errors.Is(cause, errPipe):
		return &exitcode.Error{Code: exitPipe}
	case cause != nil:
		return &exitcode.Error{Code: exitError, Err: cause}
	case failed >= exitManyFailed:
		return &exitcode.Error{Code: exitManyFailed}
	case failed > 0:
		return &exitcode.Error{Code: int(failed)}
	}
	return nil
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

// codeOf returns the exit code that a shell would have for an ending.
func codeOf(e process.Ending) int {
	switch {
	case e.Signal != 0:
		return exitSignal + e.Signal
	case e.Status < 0:
		return exitError
	}
	return e.Status
}
