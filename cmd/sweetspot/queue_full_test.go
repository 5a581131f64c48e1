//go:build unix

package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// A full store differs from a server that is away: push fails at once, and a worker that
// cannot record what it has done says why it stands. It goes on when there is room.
func TestQueueFull(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	home, dir := t.TempDir(), t.TempDir()
	startServer(t, home, "--store-max", "3M")
	do := func(args ...string) string {
		t.Helper()
		out, err := queueCommand(append([]string{args[0], "--dir", home}, args[1:]...)...)
		if err != nil {
			t.Fatalf("%v: %v, %s", args, err, out)
		}
		return out
	}
	do("push", "small", ":::", "1", "2")
	list := filepath.Join(dir, "list")
	if err := os.WriteFile(list, []byte(strings.Repeat(strings.Repeat("x", 100_000)+"\n", 50)), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := queueCommand("push", "large", "--dir", home, "-a", list)
	if want := "the queue large takes no jobs: the store is full"; err == nil || !strings.Contains(out, want) || !strings.Contains(out, "--store-max") || !strings.Contains(out, "sweetspot queue: pushed ") {
		t.Errorf("push into a full store: %v, %s; want how many were pushed, and %s", err, out, want)
	}

	worker := speaks(t, "work", "small", "--dir", home, "--until-empty", "-j", "1", "echo")
	worker.awaits("sweetspot queue: waiting: the store is full (")
	if out := do("status", "small"); !strings.Contains(out, "; the store is full (") {
		t.Errorf("status: %s, want that the store is full", out)
	}
	do("delete", "large", "--force")
	worker.awaits("sweetspot queue: goes on\n")
	if err := awaitEnd(worker.Cmd); err != nil {
		t.Fatalf("the worker: %v, %s", err, worker)
	}
	if out := do("results", "small"); strings.Count(out, `"state":"done"`) != 2 || strings.Count(out, `"tries":1`) != 2 {
		t.Errorf("results: %s, want two jobs done at their first try", out)
	}
}

// Somebody who needs a server that reads its store waits for it, however long that takes,
// and is told how far it is.
func TestQueueStoreIsRead(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	home := t.TempDir()
	if out, err := queueCommand("push", "q", "--dir", home, ":::", "1"); err != nil {
		t.Fatalf("%v, %s", err, out)
	}
	// What a process leaves to see that is about to serve.
	lock, err := os.OpenFile(filepath.Join(home, "lock"), os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if err := run.LockFile(lock); err != nil {
		t.Fatal(err)
	}
	starting := filepath.Join(home, "starting")
	write := func() {
		if err := os.WriteFile(starting, []byte("reading the store since 5s: 2 of 9 streams\n"), 0o600); err != nil {
			t.Error(err)
		}
	}
	write()
	c := speaks(t, "status", "q", "--dir", home, "--connect-timeout", "5s") // enough for what comes in the end
	c.awaits("reading the store since 5s: 2 of 9 streams")
	for range 14 { // longer than it would wait for anybody else
		time.Sleep(400 * time.Millisecond)
		write()
	}
	lock.Close() // as if it was killed
	if err := awaitEnd(c.Cmd); err != nil || !strings.Contains(c.String(), "q: 1 waiting") {
		t.Errorf("status: %v, %s", err, c)
	}
}

// A speaker is a command of queue, and what it says while it runs.
type speaker struct {
	*exec.Cmd
	t    *testing.T
	said written
}

// speaks starts a command of queue.
func speaks(t *testing.T, args ...string) *speaker {
	t.Helper()
	c, said := backgroundQueue(t, args...)
	return &speaker{c, t, said}
}

func (s *speaker) String() string { return s.said.String() }

// awaits waits until it has said text.
func (s *speaker) awaits(text string) {
	s.t.Helper()
	for until := time.Now().Add(patience); !strings.Contains(s.String(), text); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(until) {
			s.t.Fatalf("%v says %s, want %s", s.Args, s, text)
		}
	}
}
