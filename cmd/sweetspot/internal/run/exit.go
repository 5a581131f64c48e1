package run

import (
	"errors"
	"fmt"
	"os"
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

// stopped is the cause of a stop by a signal.
type stopped struct{ signal int }

func (s stopped) Error() string { return fmt.Sprintf("stopped by signal %d", s.signal) }

// ExitError carries the exit code out of the command. Its message is for the
// user; it is empty if there is nothing to say.
type ExitError struct {
	Code int
	Err  error
}

func (e *ExitError) Error() string {
	if e.Err == nil {
		return ""
	}
	return e.Err.Error()
}

func (e *ExitError) Unwrap() error { return e.Err }

// shownOn returns err with a message that can be shown on a terminal, if f is one.
func shownOn(f *os.File, err error) error {
	e, ok := errors.AsType[*ExitError](err)
	if !ok || e.Err == nil || !isTerminal(f) {
		return err
	}
	return &ExitError{e.Code, visibleError{e.Err}}
}

// visibleError is an error without control characters in its message.
type visibleError struct{ error }

func (e visibleError) Error() string { return visible(e.error.Error()) }
func (e visibleError) Unwrap() error { return e.error }

// exit returns the error for a run that ended for a cause (nil: the input was
// worked off) with so many failed jobs.
func exit(cause error, failed int64) error {
	var s stopped
	switch {
	case errors.As(cause, &s):
		return &ExitError{Code: exitSignal + s.signal}
	case errors.Is(cause, errPipe):
		return &ExitError{Code: exitPipe}
	case cause != nil:
		return &ExitError{Code: exitError, Err: cause}
	case failed >= exitManyFailed:
		return &ExitError{Code: exitManyFailed}
	case failed > 0:
		return &ExitError{Code: int(failed)}
	}
	return nil
}
