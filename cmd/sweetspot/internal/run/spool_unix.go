//go:build unix

package run

import (
	"os"

	"golang.org/x/sys/unix"
)

// createUnlinked makes a temporary file in append mode and removes its name.
func createUnlinked() (*os.File, error) {
	f, err := createTemp()
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		f.Close()
		return nil, err
	}
	if _, err := unix.FcntlInt(f.Fd(), unix.F_SETFL, unix.O_APPEND); err != nil {
		f.Close()
		return nil, os.NewSyscallError("fcntl", err)
	}
	return f, nil
}
