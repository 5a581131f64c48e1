package run_test

import (
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
)

// A job that waits to run alone does not start after all when the run has stopped meanwhile.
func TestStopWhileWaitingToRunAlone(t *testing.T) {
	notStarted, permits, err := run.StoppedWhileWaiting()
	if err != nil {
		t.Fatal(err)
	}
	if !notStarted || permits != 0 {
		t.Errorf("not started: %v, with %d permits; want true and 0", notStarted, permits)
	}
}
