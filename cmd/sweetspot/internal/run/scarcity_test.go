package run_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
)

// A job is alone while none runs, none has started since it last looked, and no output that
// waits holds files.
func TestScarcity(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s run.Scarcity
		for i, look := range []struct {
			running int
			started int64
			held    bool
			want    time.Duration
		}{
			{0, 5, false, 0}, // others may have been first
			{0, 5, false, 0},
			{0, 5, false, time.Second},
			{0, 5, false, 2 * time.Second},
			{1, 5, false, 0},
			{0, 5, false, 0},
			{0, 5, false, time.Second},
			{0, 5, true, 0},
			{0, 5, false, 0},
			{0, 5, false, time.Second},
			{0, 6, false, 0}, // it has ended, too
			{0, 7, false, 0},
			{0, 7, false, 0},
			{0, 7, false, time.Second},
		} {
			if got := s.Lasts(look.running, look.started, look.held); got != look.want {
				t.Errorf("look %d: alone for %v, want %v", i, got, look.want)
			}
			time.Sleep(time.Second)
		}
	})
}
