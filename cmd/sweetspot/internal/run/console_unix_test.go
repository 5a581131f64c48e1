//go:build unix

package run_test

import (
	"io"
	"os"
	"syscall"
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
)

// Another process that shares a stream may make it non-blocking. Nothing is lost by that.
func TestNonBlockingStream(t *testing.T) {
	var fds [2]int
	if err := syscall.Pipe(fds[:]); err != nil {
		t.Fatal(err)
	}
	r, w := os.NewFile(uintptr(fds[0]), "r"), os.NewFile(uintptr(fds[1]), "w") // while both block, as those that we are given
	defer r.Close()
	defer w.Close()
	for _, fd := range fds {
		if err := syscall.SetNonblock(fd, true); err != nil {
			t.Fatal(err)
		}
	}
	const room = 1 << 20 // more than a pipe has
	written := make(chan error, 1)
	go func() {
		n, err := run.Patient(w).Write(make([]byte, room))
		if err == nil && n != room {
			err = io.ErrShortWrite
		}
		written <- err
	}()
	buf := make([]byte, 1<<10)
	if _, err := io.ReadFull(run.Patient(r), buf); err != nil {
		t.Errorf("read: %v", err)
	}
	if _, err := io.CopyN(io.Discard, run.Patient(r), room-int64(len(buf))); err != nil {
		t.Errorf("read: %v", err)
	}
	if err := <-written; err != nil {
		t.Errorf("written: %v", err)
	}
}
