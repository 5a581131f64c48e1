package lab

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
)

// interrupted is the cause of an end by a signal.
type interrupted struct{ signal syscall.Signal }

func (i interrupted) Error() string { return i.signal.String() }

// untilSignal returns a context that INT and TERM end.
func untilSignal(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case s := <-signals:
			number, _ := s.(syscall.Signal)
			cancel(interrupted{number})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel(nil)
	}
}

// exit gives an error the exit code that shells expect of an end by a signal.
func exit(err error) error {
	if i, ok := errors.AsType[interrupted](err); ok {
		return &run.ExitError{Code: 128 + int(i.signal), Err: err}
	}
	return err
}
