package queue_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/queue"
)

// A job whose next try was lost is tried anew by the next retry-failed.
func TestRetryOfLostTry(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	serve(t, dir, func(q queue.Queue) {
		fail(t, q, "a")
		retries(t, q, 1)
		if err := q.Purge(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	// Another server, as after a power failure: it knows no messages that are gone.
	serve(t, dir, func(q queue.Queue) {
		retries(t, q, 1)
		if n, _, err := q.Left(t.Context()); n != 1 || err != nil {
			t.Errorf("%d jobs are waiting, %v; want 1", n, err)
		}
		retries(t, q, 0) // its message is there
	})
}

// A message that the machine of the server has lost while it restarted is sent again by the same
// retry-failed, though other jobs are waiting.
func TestRetryWhileMachineRestarts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	kill := start(t, "serve before a restart", dir)
	q, done, err := queue.OpenQueue(t.Context(), dir, "q")
	defer done()
	if err != nil {
		t.Fatal(err)
	}
	fail(t, q, "a", "b")
	jobs := filepath.Join(dir, "jetstream/jetstream/$G/streams/sweetspot_q/msgs/1.blk")
	kept, err := os.Stat(jobs)
	if err != nil {
		t.Fatal(err)
	}
	q.BeforePurge(func() {
		if err := os.Truncate(jobs, kept.Size()); err != nil {
			t.Error(err)
		}
		kill()
	})
	retries(t, q, 1)
	if n, _, err := q.Left(t.Context()); n != 3 || err != nil {
		t.Errorf("%d jobs are waiting, %v; want a, b, and a anew", n, err)
	}
}

// A job whose next try fails while retry-failed is still at it can be tried anew.
func TestRetryFailsAtOnce(t *testing.T) {
	t.Parallel()
	serve(t, t.TempDir(), func(q queue.Queue) {
		fail(t, q, "a")
		q.BeforePurge(func() {
			if _, err := q.Bury(t.Context(), errors.New("no")); err != nil {
				t.Error(err)
			}
		})
		retries(t, q, 1)
		retries(t, q, 1)
	})
}

// fail pushes jobs, of which the first fails, and stays in the queue as one of a worker that died then.
func fail(t *testing.T, q queue.Queue, values ...string) {
	t.Helper()
	err := q.Push(t.Context(), values...)
	if err == nil {
		_, err = q.Bury(t.Context(), errors.New("no"))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// retries wants retry-failed to have so many jobs tried anew.
func retries(t *testing.T, q queue.Queue, want int) {
	t.Helper()
	if n, err := q.RetryFailed(t.Context()); n != want || err != nil {
		t.Errorf("retry-failed has %d jobs tried anew, %v; want %d", n, err, want)
	}
}
