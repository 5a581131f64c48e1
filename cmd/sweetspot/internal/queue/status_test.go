package queue_test

import (
	"errors"
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/queue"
)

// A job that fails while status counts is not done.
func TestStatusWhileJobsFail(t *testing.T) {
	t.Parallel()
	serve(t, t.TempDir(), func(q queue.Queue) {
		if err := q.Push(t.Context(), "a", "b"); err != nil {
			t.Fatal(err)
		}
		q.Before("dead.", func() {
			if _, err := q.Bury(t.Context(), errors.New("no")); err != nil {
				t.Error(err)
			}
		})
		for _, want := range []int{1, 2} {
			if done, failed, err := q.Status(t.Context()); done != 0 || failed != want || err != nil {
				t.Errorf("%d jobs are done and %d failed, %v; want 0 and %d", done, failed, err, want)
			}
		}
	})
}
