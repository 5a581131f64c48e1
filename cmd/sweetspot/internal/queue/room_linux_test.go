package queue_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/queue"
)

// A server that could not write is started anew, also where a queue is damaged: NATS tells of
// that first.
func TestFullDiskBesideDamagedQueue(t *testing.T) {
	dir := t.TempDir()
	h := queue.OpenHome(dir)
	if err := h.Serve(nil, nil); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "q"} {
		q, done, err := connectTo(t, h, name)
		if err == nil {
			err = q.Push(t.Context(), "1")
		}
		if err != nil {
			t.Fatal(err)
		}
		done()
	}
	h.Close()
	streams := filepath.Join(dir, "jetstream/jetstream/$G/streams")
	if err := os.Truncate(filepath.Join(streams, "sweetspot_a/meta.inf"), 10); err != nil {
		t.Fatal(err)
	}
	h = queue.OpenHome(dir)
	q := serving(t, h)
	if err := q.Push(t.Context(), "2"); err != nil {
		t.Fatal(err)
	}
	before := h.ServerID()
	fill(t, filepath.Join(streams, "sweetspot_q"))
	for until := time.Now().Add(time.Minute); h.ServerID() == before; time.Sleep(10 * time.Millisecond) {
		_ = q.PushOnly(t.Context(), time.Now().String())
		if time.Now().After(until) {
			t.Fatal("the server goes on, and cannot write")
		}
	}
	if err := q.Push(t.Context(), "3"); err != nil {
		t.Error(err)
	}
}

// fill has writes to the open files of a stream fail, as on a full disk.
func fill(t *testing.T, stream string) {
	t.Helper()
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range fds {
		path, err := os.Readlink(filepath.Join("/proc/self/fd", fd.Name()))
		if err != nil || !strings.HasPrefix(path, stream+"/") || !strings.HasSuffix(path, ".blk") {
			continue
		}
		n := 0
		for _, digit := range fd.Name() {
			n = 10*n + int(digit-'0')
		}
		if err := syscall.Dup3(int(full.Fd()), n, syscall.O_CLOEXEC); err != nil {
			t.Fatal(err)
		}
	}
}
