//go:build unix

package exitcode_test

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"github.com/sweetspot-go/sweetspot/internal/exitcode"
)

func TestUntilSignal(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		if signal.Ignored(s) {
			t.Skipf("%v is ignored", s)
		}
		ctx, stop := exitcode.UntilSignal(context.Background())
		if err := syscall.Kill(syscall.Getpid(), s); err != nil {
			t.Fatal(err)
		}
		<-ctx.Done()
		if got := context.Cause(ctx).Error(); got != s.String() {
			t.Errorf("the cause is %q, want %q", got, s)
		}
		if !errors.Is(context.Cause(ctx), context.Canceled) {
			t.Errorf("the cause of the end by %v is not that of a context that was cancelled", s)
		}
		cut := errors.New("cut short")
		e, ok := errors.AsType[*exitcode.Error](exitcode.Of(ctx, cut))
		if !ok || e.Code != 128+int(s) || !errors.Is(e, cut) {
			t.Errorf("after %v: %#v", s, e)
		}
		if err := exitcode.Of(ctx, nil); err != nil {
			t.Errorf("a command that succeeded after %v: %v", s, err)
		}
		stop()
	}
}

// INT that was ignored at the start stays ignored, as for a command in the background of a script.
func TestIgnoredSignal(t *testing.T) {
	signal.Ignore(syscall.SIGINT)
	defer func() { // Reset alone would leave it ignored by what Ignored says
		c := make(chan os.Signal, 1)
		signal.Notify(c, syscall.SIGINT)
		signal.Stop(c)
	}()
	ctx, stop := exitcode.UntilSignal(context.Background())
	defer stop()
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} { // one after the other, as they are delivered
		if err := syscall.Kill(syscall.Getpid(), s); err != nil {
			t.Fatal(err)
		}
	}
	<-ctx.Done()
	if got := context.Cause(ctx).Error(); got != syscall.SIGTERM.String() {
		t.Errorf("the cause is %q, want %q", got, syscall.SIGTERM)
	}
}

// Without a signal an error stays what it is, also where the context has ended.
func TestOfOtherEnds(t *testing.T) {
	cut := errors.New("cut short")
	ctx, stop := exitcode.UntilSignal(context.Background())
	if err := exitcode.Of(ctx, cut); err != cut {
		t.Errorf("before the end: %v", err)
	}
	stop()
	if err := exitcode.Of(ctx, cut); err != cut {
		t.Errorf("after the end: %v", err)
	}
}
