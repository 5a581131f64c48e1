//go:build unix

package exitcode_test

import (
	"context"
	"errors"
	"syscall"
	"testing"

	"github.com/sweetspot-go/sweetspot/internal/exitcode"
)

func TestUntilSignal(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		ctx, stop := exitcode.UntilSignal(context.Background())
		if err := syscall.Kill(syscall.Getpid(), s); err != nil {
			t.Fatal(err)
		}
		<-ctx.Done()
		if got := context.Cause(ctx).Error(); got != s.String() {
			t.Errorf("the cause is %q, want %q", got, s)
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
