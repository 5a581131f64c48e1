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

// A job stands still, even if somebody else continues it, until it is to go on, and can be
// told to again.
func TestBrake(t *testing.T) {
	j := braked(t)
	await(t, j, asleep)
	for range 2 {
		j.Stand(true)
		await(t, j, stopped)
		j.Continue()
		time.Sleep(time.Millisecond)
		await(t, j, stopped)
		j.Stand(false)
		await(t, j, asleep)
	}
	if n := j.Stops(); n != 2 {
		t.Errorf("%d stops counted, want 2", n)
	}
}

// A job that stands still notices that all are told to end, and then nothing stops it any more.
func TestBrakedJobEndsByTerm(t *testing.T) {
	j := braked(t)
	j.Stand(true)
	await(t, j, stopped)
	j.Signal()
	await(t, j, zombie)
}

// One that was told to end does not stand still.
func TestBrakeSparesWhatIsToEnd(t *testing.T) {
	j := braked(t)
	await(t, j, asleep)
	j.Ends()
	j.Stand(true)
	time.Sleep(50 * time.Millisecond)
	if await(t, j, asleep); j.Stops() != 0 {
		t.Errorf("%d stops counted, want none", j.Stops())
	}
}

// Starts on credit may come faster than looks.
func TestBrakeLooksHoweverOftenItIsWoken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if looks := run.LooksOfBrake(100, 5*time.Millisecond); looks < 40 {
			t.Errorf("%d looks in half a second, want 50", looks)
		}
	})
}

// What a job leaves behind does not stand still for ever.
func TestBrakeLetsLeftoversGo(t *testing.T) {
	if state, err := run.StoppedLeftover(); state != asleep || err != nil {
		t.Errorf("state %q, %v; want %s", state, err, asleep)
	}
}
