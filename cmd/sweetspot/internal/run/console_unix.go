//go:build unix

package run

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// ready waits until a non-blocking file is ready, if err says that it is not, and reports whether it did.
func ready(f *os.File, err error, write bool) bool {
	if !errors.Is(err, unix.EAGAIN) {
		return false
	}
	events := int16(unix.POLLIN)
	if write {
		events = unix.POLLOUT
	}
	_, _ = unix.Poll([]unix.PollFd{{Fd: int32(f.Fd()), Events: events}}, -1)
	return true
}

// takesAtOnce reports whether stdout and stderr have room for a short output.
func takesAtOnce() bool {
	fds := [...]unix.PollFd{{Fd: 1, Events: unix.POLLOUT}, {Fd: 2, Events: unix.POLLOUT}}
	n, err := unix.Poll(fds[:], 0)
	return err == nil && n == len(fds)
}
