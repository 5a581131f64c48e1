//go:build unix

package queue_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/queue"
)

// A home that is to end while its server reads the store ends at once, and nobody else serves
// it as long as that server reads.
func TestStartIsInterrupted(t *testing.T) {
	t.Parallel()
	for _, restarted := range []bool{false, true} {
		dir := t.TempDir()
		serve(t, dir, func(q queue.Queue) {
			if err := q.Push(t.Context(), "a"); err != nil {
				t.Fatal(err)
			}
		})
		if restarted {
			restart(t, dir)
		}
		goOn := stall(t, dir)
		h := queue.OpenHome(dir)
		ended := make(chan error, 1)
		go func() { ended <- h.Serve(nil, nil) }()
		await(t, func() bool { _, err := os.Stat(h.Path("starting")); return err == nil })
		h.Stop()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("Serve: %v, want that it was interrupted", err)
		}
		if free(t, dir) {
			t.Error("others may serve the store while it is read")
		}
		goOn()
		await(t, func() bool { return free(t, dir) })
		serve(t, dir, func(q queue.Queue) {
			if n, _, err := q.Left(t.Context()); n != 1 || err != nil {
				t.Errorf("%d jobs, %v; want 1", n, err)
			}
		})
	}
}

// free reports whether another process could serve the home in dir.
func free(t *testing.T, dir string) bool {
	t.Helper()
	c := process(t.Context(), t, "lock", dir) // without stdin it ends at once
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out) == "<nil>\n"
}

// stall has a server that reads the store in dir stand still, until goOn is called.
func stall(t *testing.T, dir string) (goOn func()) {
	t.Helper()
	path := filepath.Join(dir, "jetstream/jetstream/$G/streams/sweetspot_q/meta.inf")
	aside := path + ".aside"
	if err := errors.Join(os.Rename(path, aside), syscall.Mkfifo(path, 0o600)); err != nil {
		t.Fatal(err)
	}
	return func() {
		pipe, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err == nil {
			err = errors.Join(os.Rename(aside, path), pipe.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// await waits until something is so.
func await(t *testing.T, so func() bool) {
	t.Helper()
	for until := time.Now().Add(time.Minute); !so(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("not within a minute")
		}
	}
}
