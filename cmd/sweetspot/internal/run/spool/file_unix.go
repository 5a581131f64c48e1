//go:build unix

package spool

import (
	"math"
	"os"
	"sync"

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
	return appending(f)
}

// appending returns f in append mode.
func appending(f *os.File) (*os.File, error) {
	if _, err := unix.FcntlInt(f.Fd(), unix.F_SETFL, unix.O_APPEND); err != nil {
		f.Close()
		return nil, os.NewSyscallError("fcntl", err)
	}
	return f, nil
}

// CloseFile closes what [NewFile] has made, and leaves nothing behind.
func CloseFile(f *os.File) { f.Close() }

// fileLimit returns how large a file may become, in our jobs as in ourselves.
var fileLimit = sync.OnceValue(func() int64 { return resourceLimit(unix.RLIMIT_FSIZE) })

// MostFiles returns how many files we may have open.
func MostFiles() int64 { return resourceLimit(unix.RLIMIT_NOFILE) }

func resourceLimit(resource int) int64 {
	var l unix.Rlimit
	if unix.Getrlimit(resource, &l) != nil {
		return math.MaxInt64
	}
	return int64(min(uint64(l.Cur), math.MaxInt64))
}
