package run

import (
	"os"

	"golang.org/x/sys/unix"
)

// newSpoolFile makes a file without a name in the directory for temporary
// files. Where there is no such directory to write to, as in bare containers,
// the file is in memory.
func newSpoolFile() (*os.File, error) {
	const flags = unix.O_RDWR | unix.O_APPEND | unix.O_CLOEXEC
	fd, err := unix.Open(os.TempDir(), flags|unix.O_TMPFILE, 0o600)
	switch err {
	case nil:
		return os.NewFile(uintptr(fd), "output"), nil
	case unix.EMFILE, unix.ENFILE, unix.ENOMEM:
		return nil, &os.PathError{Op: "create a file for the output of jobs in", Path: os.TempDir(), Err: err}
	}
	// The file system has no nameless files (EOPNOTSUPP, EISDIR), or the
	// directory is not there or not ours to write to.
	if f, err := createUnlinked(); err == nil {
		return f, nil
	}
	fd, merr := unix.MemfdCreate("output", unix.MFD_CLOEXEC)
	if merr != nil {
		return nil, &os.PathError{Op: "create a file for the output of jobs in", Path: os.TempDir(), Err: err}
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETFL, unix.O_APPEND); err != nil {
		unix.Close(fd)
		return nil, os.NewSyscallError("fcntl", err)
	}
	return os.NewFile(uintptr(fd), "output"), nil
}

func closeSpoolFile(f *os.File) { f.Close() }
