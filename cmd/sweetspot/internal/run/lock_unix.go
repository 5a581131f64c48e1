//go:build unix

package run

import (
	"errors"
	"os"
	"time"

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

// lockDirectory is LockFile for a directory, which takes a lock for readers only: two
// processes that ask at the same instant may both get it.
func lockDirectory(f *os.File) error {
	other := unix.Flock_t{Type: unix.F_WRLCK}
	if unix.FcntlFlock(f.Fd(), unix.F_GETLK, &other) == nil && other.Type != unix.F_UNLCK {
		return unix.EAGAIN
	}
	_ = unix.FcntlFlock(f.Fd(), unix.F_SETLK, &unix.Flock_t{Type: unix.F_RDLCK})
	return nil
}

// reserveFor is how long reserve waits: longer than a guard needs on a busy machine.
const reserveFor = 5 * time.Second

// reserve reserves a file or directory for this process and for its guard, which
// holds it until the jobs of a run that was killed are gone. So it waits a little for
// the guard of another. The error says that somebody else has it; a file system that
// knows no locks reserves nothing.
func reserve(f *os.File) error {
	for deadline := time.Now().Add(reserveFor); ; time.Sleep(5 * time.Millisecond) {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EWOULDBLOCK) {
			return nil
		}
		if time.Now().After(deadline) {
			return err
		}
	}
}
