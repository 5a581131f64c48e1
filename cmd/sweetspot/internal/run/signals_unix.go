//go:build unix

package run

import (
	"errors"
	"os"
	"os/signal"
	"syscall"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/process"
)

// Signals that mean something to a run, and that not every system has.
var (
	sigMark  = os.Signal(syscall.SIGWINCH) // by default nobody minds it
	sigMore  = os.Signal(syscall.SIGUSR1)  // these change the number of jobs
	sigFewer = os.Signal(syscall.SIGUSR2)
)

// mark sends ourselves sigMark and reports whether it did.
func mark() bool { return syscall.Kill(os.Getpid(), syscall.SIGWINCH) == nil }

// suspendSignals are sent by Ctrl-Z. The jobs are in groups of their own, which
// the terminal does not stop.
var suspendSignals = []os.Signal{syscall.SIGTSTP}

// suspend stops the jobs and ourselves until somebody continues us.
func suspend(p *process.Set) {
	p.SuspendAll(func() {
		continued := make(chan os.Signal, 1)
		signal.Notify(continued, syscall.SIGCONT)
		_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
		<-continued // the stop may reach this thread a little later
		signal.Stop(continued)
	})
}

// isBrokenPipe reports whether a write failed because its reader is gone.
func isBrokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
