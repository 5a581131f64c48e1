package queue_test

import (
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/queue"
)

// A job that is done while it is looked what cannot be read is not lost.
func TestDoneWhileClearing(t *testing.T) {
	t.Parallel()
	serve(t, t.TempDir(), func(q queue.Queue) {
		if err := q.Push(t.Context(), "a", "b", "c"); err != nil {
			t.Fatal(err)
		}
		const want = "job 1 of q cannot be read, since the store is damaged, and will not run: push the values again"
		if err := q.ClearWhile(t.Context(), 1, 2); err == nil || err.Error() != want {
			t.Errorf("cleared with %v, want that %s", err, want)
		}
		if n, _, err := q.Left(t.Context()); n != 1 || err != nil {
			t.Errorf("%d jobs are left, %v; want 1", n, err)
		}
	})
}
