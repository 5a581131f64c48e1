package queue_test

import (
	"context"
	"strings"
	"testing"
	"time"

	natslimit "github.com/sweetspot-go/sweetspot/contrib/nats"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/queue"
)

// A job that failed for good, and whose worker died before it recorded that, has not failed
// because of its worker: the record says how often it failed, and how.
func TestFailedBefore(t *testing.T) {
	t.Parallel()
	serve(t, t.TempDir(), func(q queue.Queue) {
		for _, test := range []struct {
			last, say      string
			status, signal int
		}{
			{"exit status 3", "it failed 5 times, the last time with: exit status 3; ", 3, 0},
			{"signal 9", "it failed 5 times, the last time with: signal 9; ", -1, 9},
			{"it ran out of time", "it failed 5 times, the last time with: it ran out of time; ", -1, 0},
			{"", "it failed 5 times, the last time with: an unknown error; ", -1, 0},
		} {
			if err := q.Push(t.Context(), "last was "+test.last); err != nil {
				t.Fatal(err)
			}
			r, err := q.Bury(t.Context(), &natslimit.FailuresError{Failures: 5, Last: test.last})
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(r.Error, test.say) || r.Status != test.status || r.Signal != test.signal || r.State != "failed" {
				t.Errorf("%q: the record is %+v, want status %d, signal %d, and %s", test.last, r, test.status, test.signal, test.say)
			}
		}
	})
}

// A result of a queue that was deleted just before is given up, though the server answers nothing to it.
func TestRecordOfDeleted(t *testing.T) {
	t.Parallel()
	serve(t, t.TempDir(), func(q queue.Queue) {
		if err := q.Delete(t.Context()); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := q.Record(ctx, 1); err == nil || !strings.Contains(err.Error(), "the queue q was deleted") {
			t.Errorf("the result is recorded with %v, want that the queue was deleted", err)
		}
	})
}

// A queue can be deleted though the server cannot empty its stream any more.
func TestDeleteOfBroken(t *testing.T) {
	t.Parallel()
	serve(t, t.TempDir(), func(q queue.Queue) {
		if err := q.Push(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
		q.BreakStore()
		if err := q.Delete(t.Context()); err != nil {
			t.Error(err)
		}
		if waiting, _, err := q.Left(t.Context()); err == nil {
			t.Errorf("%d jobs are left, want that the queue is gone", waiting)
		}
	})
}

// A result that another worker has recorded meanwhile stays, also in a queue with several replicas.
func TestRecordLost(t *testing.T) {
	t.Parallel()
	serve(t, t.TempDir(), func(q queue.Queue) {
		if err := q.Record(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := q.Update(t.Context(), 1, 1000); err != nil {
				t.Errorf("the second result of a job ends with %v, want that the first one stays", err)
			}
			q.Replicate()
		}
	})
}

// A job that was tried anew has its result also if the one that this takes the place of has expired.
func TestRecordOfExpired(t *testing.T) {
	t.Parallel()
	serve(t, t.TempDir(), func(q queue.Queue) {
		if err := q.Update(t.Context(), 1, 1000); err != nil {
			t.Fatal(err)
		}
		if _, results, err := q.Left(t.Context()); results != 1 || err != nil {
			t.Errorf("there are %d results, %v; want 1", results, err)
		}
	})
}

// The pause doubles up to a minute, however short the first was, and a longer one stays as it is.
func TestPauseDoubles(t *testing.T) {
	for _, test := range []struct{ pause, second, last time.Duration }{
		{time.Second, 2 * time.Second, time.Minute},
		{time.Nanosecond, 2, time.Minute},
		{45 * time.Second, time.Minute, time.Minute},
		{2 * time.Hour, 2 * time.Hour, 2 * time.Hour},
		{1000 * time.Hour, 1000 * time.Hour, 1000 * time.Hour},
		{0, 0, 0},
	} {
		if got := queue.Backoff(test.pause, 1); got != test.pause {
			t.Errorf("--pause %v: %v before the second try", test.pause, got)
		}
		if got := queue.Backoff(test.pause, 2); got != test.second {
			t.Errorf("--pause %v: %v before the third try, want %v", test.pause, got, test.second)
		}
		for tries := 3; tries < 100; tries++ {
			before, got := queue.Backoff(test.pause, tries-1), queue.Backoff(test.pause, tries)
			if want := min(2*before, test.last); got != want {
				t.Fatalf("--pause %v: %v after try %d, and %v after the one before; want %v", test.pause, got, tries, before, want)
			}
		}
	}
}
