package run

import (
	"errors"
	"os"
	"syscall"
)

// The signals that mean something to a run. Windows has an interrupt and, when
// the console is closed, a TERM.
var (
	sigInterrupt = os.Signal(syscall.SIGINT)
	sigTerminate = os.Signal(syscall.SIGTERM)
	sigQuit      = os.Signal(syscall.SIGQUIT)
	sigHangup    = os.Signal(syscall.SIGHUP)
	sigPipe      = os.Signal(syscall.SIGPIPE)
	sigMark      = os.Signal(syscall.Signal(-1)) // there is none
	sigMore      os.Signal                       // nor are there these
	sigFewer     os.Signal
)

func mark() bool { return false }

// suspendSignals: Windows has none.
var suspendSignals []os.Signal

func suspend(*processes) {}

// isBrokenPipe reports whether a write failed because its reader is gone.
func isBrokenPipe(err error) bool {
	const noData = syscall.Errno(232)
	return errors.Is(err, syscall.ERROR_BROKEN_PIPE) || errors.Is(err, noData)
}
