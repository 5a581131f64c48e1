package run_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
)

// The letters of /proc/PID/stat.
const (
	asleep  = "S"
	stopped = "T"
	zombie  = "Z"
)

func braked(t *testing.T) *run.BrakedJob {
	t.Helper()
	j, err := run.NewBrakedJob()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(j.Close)
	return j
}

func await(t *testing.T, j *run.BrakedJob, state string) {
	t.Helper()
	if err := j.Await(state); err != nil {
		t.Fatal(err)
	}
}

// A job stays suspended, even if somebody else resumes it, until the brake does. It can be suspended again.
func TestBrake(t *testing.T) {
	j := braked(t)
	await(t, j, asleep)
	for range 2 {
		j.Suspend(true)
		await(t, j, stopped)
		j.Continue()
		time.Sleep(time.Millisecond)
		await(t, j, stopped)
		j.Suspend(false)
		await(t, j, asleep)
	}
	if n := j.Suspensions(); n != 2 {
		t.Errorf("%d suspensions counted, want 2", n)
	}
}

// A suspended job ends by TERM like any other, and is not suspended again before it has ended.
func TestBrakedJobEndsByTerm(t *testing.T) {
	j := braked(t)
	j.Suspend(true)
	await(t, j, stopped)
	j.Signal()
	await(t, j, zombie)
}

// A job that was told to end is not suspended.
func TestBrakeSparesWhatIsToEnd(t *testing.T) {
	j := braked(t)
	await(t, j, asleep)
	j.Ends()
	j.Suspend(true)
	time.Sleep(50 * time.Millisecond)
	if await(t, j, asleep); j.Suspensions() != 0 {
		t.Errorf("%d suspensions counted, want none", j.Suspensions())
	}
}

// Starts on credit may be more frequent than looks.
func TestBrakeLooksHoweverOftenItIsWoken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if looks := run.LooksOfBrake(100, 5*time.Millisecond); looks < 40 {
			t.Errorf("%d looks in half a second, want 50", looks)
		}
	})
}

// What a job leaves behind is resumed.
func TestBrakeLetsLeftoversGo(t *testing.T) {
	if state, err := run.StoppedLeftover(); state != asleep || err != nil {
		t.Errorf("state %q, %v; want %s", state, err, asleep)
	}
}
