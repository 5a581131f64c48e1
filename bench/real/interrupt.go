package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// interrupted is the cause of a stop by a signal.
type interrupted struct{ signal os.Signal }

func (i interrupted) Error() string { return fmt.Sprintf("stopped by %v", i.signal) }

// interruptible returns a context that the signals cancel, once. Then INT and
// TERM have their usual effect, so that a second one ends the program at once.
func interruptible(by ...os.Signal) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, by...)
	go func() {
		select {
		case s := <-signals:
			cancel(interrupted{s})
		case <-ctx.Done():
		}
		signal.Reset(os.Interrupt, syscall.SIGTERM)
	}()
	return ctx, cancel
}
