//go:build unix

package run

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lockFile reserves a file for this process until it is closed. The error says
// that another has it; a file system that knows no locks reserves nothing.
func lockFile(f *os.File) error {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return err
	}
	return nil
}
