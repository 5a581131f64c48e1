//go:build unix

package process_test

import (
	"slices"
	"syscall"
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/process"
)

// While all jobs are suspended none is started: we would be stopped before we know its number.
func TestStartWhileAllAreSuspended(t *testing.T) {
	if early, err := process.StartedAway(); err != nil || early {
		t.Errorf("a job begins while all are suspended: %v, %v", early, err)
	}
}

// Once the jobs have been told to end, KILL goes only to those of which a process is
// left, since the number of another may be a foreign one's by then. The guard looks
// after them as long.
func TestLeftoversOfTerm(t *testing.T) {
	for line, want := range map[string]int{
		"echo $$; read x": 0,
		"trap '' TERM; sleep 100 & echo $!; read x": 1,
	} {
		ended, killed, err := process.EndedByTerm(line)
		if err != nil {
			t.Fatal(err)
		}
		if ended != (process.Registered{Left: want, Guarded: want}) {
			t.Errorf("%s: %+v after its end, want %d of each", line, ended, want)
		}
		if killed != (process.Registered{}) {
			t.Errorf("%s: %+v with no process left, want none", line, killed)
		}
	}
}

// A process may get the number of another before that is removed. No group shares its line.
func TestGuardOfANumberUsedAgain(t *testing.T) {
	got, err := process.Guarded(2, 3, 2, 4, -2, -2, 5)
	if want := []string{"5", "3", "4"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}

// The end of a job takes nothing from another that has got its number meanwhile.
func TestRemoveOfANumberUsedAgain(t *testing.T) {
	lines, live, err := process.UsedAgain()
	if want := [2]int{1, 0}; err != nil || lines != want || live != want {
		t.Errorf("lines of the guard %v, live jobs %v, %v; want %v of both", lines, live, err, want)
	}
}

// A job whose number another job has got is gone, whatever lives under that number.
func TestLingerOfANumberUsedAgain(t *testing.T) {
	procs, ours := process.NewSet(), process.Process{PID: syscall.Getpgrp()} // a group that lives
	procs.Add(ours)
	procs.Add(ours)
	procs.Linger(ours, func() bool {
		t.Error("it waits for the other job")
		return true
	})
}
