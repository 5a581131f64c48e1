package run

import (
	"errors"
	"os"
	"syscall"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/process"
)

// Windows has an interrupt and, when the console is closed, a TERM, but none of these.
var (
	sigMark  = os.Signal(syscall.Signal(-1))
	sigMore  os.Signal
	sigFewer os.Signal
)

func mark() bool { return false }

// suspendSignals: Windows has none.
var suspendSignals []os.Signal

func suspend(*process.Set) {}

// isBrokenPipe reports whether a write failed because its reader is gone.
func isBrokenPipe(err error) bool {
	const noData = syscall.Errno(232)
	return errors.Is(err, syscall.ERROR_BROKEN_PIPE) || errors.Is(err, noData)
}
