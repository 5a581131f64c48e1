package queue_test

import (
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/queue"
)

// A job that is sent again to a server that has restarted is known, though it was run meanwhile
// and has left the stream; one that had not arrived is added. Both pushers with a server in
// their process and those with a key that may only push ask for that.
func TestSentTwice(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"user.nk", "push.nk"} {
		t.Run(key, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			serve(t, dir, func(q queue.Queue) {
				if err := q.Push(t.Context(), "a"); err != nil {
					t.Fatal(err)
				}
				if err := q.Work(t.Context()); err != nil {
					t.Fatal(err)
				}
			})
			h := queue.OpenHome(dir)
			if err := h.Serve(nil, nil); err != nil {
				t.Fatal(err)
			}
			defer h.Close()
			pusher, done, err := queue.OpenServer(t.Context(), h.URL(), h.Path(key), "q")
			defer done()
			if err == nil {
				err = pusher.PushAgain(t.Context(), "a", "b")
			}
			if err != nil {
				t.Fatal(err)
			}
			q, done, err := connectTo(t, h, "q")
			defer done()
			if err != nil {
				t.Fatal(err)
			}
			if n, err := q.Last(t.Context()); n != 2 || err != nil {
				t.Errorf("%d jobs in all, %v; want 2", n, err)
			}
			if values, err := q.Runnable(t.Context(), 1); err != nil || len(values) != 1 || values[0] != "b" {
				t.Errorf("to be run is %v, %v; want b", values, err)
			}
		})
	}
}
