//go:build unix

package run

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// LockFile reserves a file for this process until it closes it. The error says
// that another has it; a file system that knows no locks reserves nothing.
//
// It is a lock of fcntl(2), not of flock(2), which children share until they
// execute their program: one that is just being started would hold it for a
// moment after a kill -9, and the run would not be resumed.
func LockFile(f *os.File) error {
	err := unix.FcntlFlock(f.Fd(), unix.F_SETLK, &unix.Flock_t{Type: unix.F_WRLCK})
	if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EACCES) {
		return err
	}
	return nil
}
