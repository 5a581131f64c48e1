//go:build unix

package run_test

import (
	"os"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
)

// Who resumes a run that was killed waits for its guard, which ends the jobs.
func TestReserveWaitsForGuard(t *testing.T) {
	dir := t.TempDir()
	guard, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Reserve(guard); err != nil {
		t.Fatal(err)
	}
	next, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer next.Close()
	go func() {
		time.Sleep(20 * time.Millisecond)
		guard.Close()
	}()
	if err := run.Reserve(next); err != nil {
		t.Error(err)
	}
	if _, err := guard.Stat(); err == nil {
		t.Error("two have the same directory")
	}
}
