package diagnose

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
)

// untilSignal returns a context that INT and TERM end. exit then gives an error the
// exit code that shells expect of an end by that signal.
func untilSignal(parent context.Context) (ctx context.Context, exit func(error) error, stop func()) {
	interrupt, stopInterrupt := signal.NotifyContext(parent, os.Interrupt)
	ctx, stopTerm := signal.NotifyContext(interrupt, syscall.SIGTERM)
	exit = func(err error) error {
		switch {
		case err == nil || parent.Err() != nil || ctx.Err() == nil:
			return err
		case interrupt.Err() != nil:
			return &run.ExitError{Code: 128 + int(syscall.SIGINT), Err: err}
		}
		return &run.ExitError{Code: 128 + int(syscall.SIGTERM), Err: err}
	}
	return ctx, exit, func() {
		stopTerm()
		stopInterrupt()
	}
}
