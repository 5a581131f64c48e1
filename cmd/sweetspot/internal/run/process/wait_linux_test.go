package process_test

import (
	"os/exec"
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/process"
)

// A job is taken off all lists of what may be signalled before another process can get
// its number.
func TestEndIsToldBeforeReaping(t *testing.T) {
	path, err := exec.LookPath("true")
	if err != nil {
		t.Fatal(err)
	}
	for _, jobs := range []int{1, 1000} { // waited for by a thread, and in the poller
		if ok, err := process.EndedUnreaped(path, jobs); !ok || err != nil {
			t.Errorf("one of %d jobs: %v, %v", jobs, ok, err)
		}
	}
}
