package exitcode

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// An Error has the process exit with Code. Its message is for the user; it is empty
// if there is nothing to say.
type Error struct {
	Code int
	Err  error
}

func (e *Error) Error() string {
	if e.Err == nil {
		return ""
	}
	return e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }

// received is the cause of an end by a signal.
type received struct{ syscall.Signal }

func (r received) Error() string { return r.String() }

// Is makes it the end of a context, as it is for those who wait.
func (received) Is(err error) bool { return err == context.Canceled }

// UntilSignal returns a context that SIGINT and SIGTERM cancel. Its cause then names the signal.
// An ignored SIGINT stays ignored: scripts rely on that for commands in the background.
func UntilSignal(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM)
	if !signal.Ignored(os.Interrupt) {
		signal.Notify(signals, os.Interrupt)
	}
	go func() {
		select {
		case s := <-signals:
			number, _ := s.(syscall.Signal)
			cancel(received{number})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel(nil)
	}
}

// Of returns err with the code 128 + n, if signal n has ended the context of
// [UntilSignal], and err as it is otherwise. Call it before stop.
func Of(ctx context.Context, err error) error {
	if r, ok := errors.AsType[received](context.Cause(ctx)); ok && err != nil {
		return &Error{Code: 128 + int(r.Signal), Err: err}
	}
	return err
}
