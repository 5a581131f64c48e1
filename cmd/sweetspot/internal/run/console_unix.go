//go:build unix

package run

import "golang.org/x/sys/unix"

// takesAtOnce reports whether stdout and stderr have room for a short output.
func takesAtOnce() bool {
	fds := [...]unix.PollFd{{Fd: 1, Events: unix.POLLOUT}, {Fd: 2, Events: unix.POLLOUT}}
	n, err := unix.Poll(fds[:], 0)
	return err == nil && n == len(fds)
}
