package run_test

import (
	"errors"
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
	"github.com/sweetspot-go/sweetspot/internal/exitcode"
)

func TestExit(t *testing.T) {
	bad := errors.New("bad")
	for _, c := range []struct {
		cause  error
		failed int64
		code   int
		says   string
	}{
		{nil, 0, 0, ""},
		{nil, 1, 1, ""},
		{nil, 100, 100, ""},
		{nil, 101, 101, ""},
		{nil, 1 << 40, 101, ""},
		{bad, 3, 255, "bad"},
		{run.Stopped(1), 0, 129, ""},
		{run.Stopped(2), 5, 130, ""},
		{run.Stopped(15), 0, 143, ""},
		{run.ErrPipe, 1, 141, ""},
	} {
		err := run.Exit(c.cause, c.failed)
		if c.code == 0 {
			if err != nil {
				t.Errorf("Exit(%v, %d) = %v", c.cause, c.failed, err)
			}
			continue
		}
		e, ok := errors.AsType[*exitcode.Error](err)
		if !ok || e.Code != c.code || e.Error() != c.says {
			t.Errorf("Exit(%v, %d) = %#v, want %d %q", c.cause, c.failed, err, c.code, c.says)
		}
	}
}

// What goes wrong after the run has begun to end is not hidden by why it did.
func TestGraver(t *testing.T) {
	bad := errors.New("bad")
	for _, c := range []struct{ first, second, want error }{
		{run.Stopped(1), run.ErrListed, run.ErrListed},
		{run.ErrListed, run.Stopped(1), run.ErrListed},
		{run.ErrHalted, run.ErrListed, run.ErrListed},
		{run.ErrListed, run.Stopped(2), run.Stopped(2)},
		{run.ErrListed, bad, bad},
		{bad, run.ErrListed, bad},
		{run.Stopped(2), bad, run.Stopped(2)},
		{nil, bad, bad},
	} {
		if got := run.Graver(c.first, c.second); got != c.want {
			t.Errorf("of %v and %v, %v counts, want %v", c.first, c.second, got, c.want)
		}
	}
}
