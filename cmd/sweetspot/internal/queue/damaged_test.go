package queue_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/queue"
)

// A queue whose description is damaged is not made anew: its jobs are still there. What
// the server noted of acknowledgements does not stop us.
func TestDamagedQueue(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		file string
		want string // of the error; "" if there is none
		gone bool   // the file is missing
	}{
		{"sweetspot_q/meta.inf", "sweetspot_q/meta.inf does not match meta.sum", false},
		{"sweetspot_q/meta.sum", "sweetspot_q/meta.inf does not match meta.sum", false},
		{"KV_sweetspot_q/meta.inf", "KV_sweetspot_q/meta.inf does not match meta.sum", false},
		{"sweetspot_q/obs/workers/meta.inf", "", false},
		{"sweetspot_q/obs/workers/o.dat", "", false},
		// So NATS leaves what it deletes, if it is killed then.
		{"KV_sweetspot_q/meta.inf", "", true},
	} {
		t.Run(fmt.Sprint(strings.ReplaceAll(test.file, "/", " "), " gone ", test.gone), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			serve(t, dir, func(q queue.Queue) {
				if err := q.Push(t.Context(), "a", "b"); err != nil {
					t.Fatal(err)
				}
				if err := q.Record(t.Context(), 1); err != nil {
					t.Fatal(err)
				}
			})
			path := filepath.Join(dir, "jetstream/jetstream/$G/streams", test.file)
			text, err := os.ReadFile(path)
			switch {
			case test.gone:
				err = os.Remove(path)
			case err == nil:
				err = os.WriteFile(path, text[:len(text)/2], 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			h := queue.OpenHome(dir)
			if err := h.Serve(nil, nil); err != nil {
				t.Fatal(err)
			}
			defer h.Close()
			for _, open := range []func() (queue.Queue, func(), error){
				func() (queue.Queue, func(), error) { return connectTo(t, h, "q") },
				func() (queue.Queue, func(), error) { return queue.OpenServed(t.Context(), h, "q", false) },
			} {
				q, done, err := open()
				defer done()
				switch {
				case test.want != "":
					if err == nil || !strings.Contains(err.Error(), test.want) {
						t.Errorf("%v, want an error with %q", err, test.want)
					}
				case err != nil:
					t.Error(err)
				default:
					if n, err := q.Pending(t.Context()); n != 2 || err != nil {
						t.Errorf("%d jobs are to be given to workers, %v; want 2", n, err)
					}
				}
			}
		})
	}
}

// A result that was recorded after somebody has looked for it is not damaged.
func TestRecordedMeanwhile(t *testing.T) {
	t.Parallel()
	serve(t, t.TempDir(), func(q queue.Queue) {
		if err := q.Record(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		if damaged, err := q.Unread(t.Context(), 1, 2); len(damaged) != 0 || err != nil {
			t.Errorf("the results of %v are damaged, %v; want none", damaged, err)
		}
	})
}
