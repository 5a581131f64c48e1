package queue_test

import (
	"bytes"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/queue"
)

// A writerFunc is a function that writes.
type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// What queue results --follow prints is on the disk before, also where it is more than a buffer holds.
func TestFollowedAreKept(t *testing.T) {
	t.Parallel()
	for _, size := range []int{10, 2 << 20} {
		var kept atomic.Bool
		h := queue.OpenHome(t.TempDir())
		h.Flush(func(f *os.File) error {
			if strings.Contains(f.Name(), "KV_") {
				kept.Store(true)
			}
			return f.Sync()
		})
		q := serving(t, h)
		if err := q.Push(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
		if err := q.RecordOnly(t.Context(), 1, bytes.Repeat([]byte("x"), size)); err != nil {
			t.Fatal(err)
		}
		kept.Store(false)
		printed := 0
		err := q.Follow(t.Context(), writerFunc(func(p []byte) (int, error) {
			if !kept.Load() {
				t.Errorf("%d bytes are printed of a result that is not on the disk", len(p))
			}
			printed += len(p)
			return len(p), nil
		}))
		if err != nil || printed != size {
			t.Errorf("printed %d bytes, %v; want %d", printed, err, size)
		}
	}
}
