package queue_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/queue"
)

// Values whose record the server would not take are refused when they are pushed, not when their
// job has run.
func TestPushOfWhatGrows(t *testing.T) {
	t.Parallel()
	serve(t, t.TempDir(), func(q queue.Queue) {
		for _, test := range []struct {
			value string
			want  int
		}{
			{strings.Repeat("x", 3<<20), 1},
			{strings.Repeat("\x01", 1<<20), 1}, // 6 MiB in JSON
			{strings.Repeat("\x01", 3<<19), 0},
			{strings.Repeat("\"", 4<<20-1), 0},
		} {
			n, err := q.PushValues(t.Context(), test.value)
			if refused := err != nil && strings.Contains(err.Error(), "more than the server takes"); n != test.want || refused != (test.want == 0) {
				t.Errorf("of %d times %q %d jobs are pushed, %v; want %d", len(test.value), test.value[0], n, err, test.want)
			}
			if n == 1 {
				if err := q.RecordValue(t.Context(), 1, test.value, nil); err != nil {
					t.Errorf("%d times %q: the result is recorded with %v", len(test.value), test.value[0], err)
				}
			}
		}
	})
}

// Outputs of a record that the server does not take are not left in the store.
func TestOutputsOfRefused(t *testing.T) {
	t.Parallel()
	serve(t, t.TempDir(), func(q queue.Queue) {
		output := bytes.Repeat([]byte("x"), 300_000)
		if err := q.RecordValue(t.Context(), 1, strings.Repeat("\x01", 2<<20), output); err == nil {
			t.Error("a record of 12 MiB is taken, want that it is too long")
		}
		if n, err := q.Objects(t.Context()); n != 0 || err != nil {
			t.Errorf("%d parts of outputs are left, %v; want none", n, err)
		}
	})
}

// The end of a list needs no server: what came before is in the queue.
func TestPushOfTheEnd(t *testing.T) {
	t.Parallel()
	h := queue.OpenHome(t.TempDir())
	defer h.Close()
	if err := h.Serve(nil, nil); err != nil {
		t.Fatal(err)
	}
	q, done, err := connectTo(t, h, "q")
	done()
	if err != nil {
		t.Fatal(err)
	}
	if n, err := q.PushValues(t.Context()); n != 0 || err != nil {
		t.Errorf("pushed %d, %v; want that the list has ended", n, err)
	}
}

// A push that is interrupted says of how many jobs it does not know whether they are in the queue.
func TestPushIsInterrupted(t *testing.T) {
	t.Parallel()
	h := queue.OpenHome(t.TempDir())
	q := serving(t, h)
	ctx, cancel := context.WithCancel(t.Context())
	var said string
	q.Say(func(text string) {
		if said = text; strings.HasPrefix(text, "waiting: ") {
			cancel()
		}
	})
	h.Close()
	n, err := q.PushValues(ctx, "a")
	if want := "1 job not confirmed, which may be in the queue"; n != 0 || err == nil || said != want {
		t.Errorf("pushed %d, %v; it says %q at last, want %q", n, err, said, want)
	}
}
