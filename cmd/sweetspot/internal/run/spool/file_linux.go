package spool

import (
	"errors"
	"os"
	"strconv"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/process"
)

// NewFile makes a file without a name in the directory for temporary
// files. If that directory is missing or cannot be written to, as in bare containers,
// the file is in memory.
func NewFile() (*os.File, error) {
	const flags = unix.O_RDWR | unix.O_APPEND | unix.O_CLOEXEC
	fd, err := unix.Open(Dir(), flags|unix.O_TMPFILE, 0o600)
	switch {
	case err == nil:
		return os.NewFile(uintptr(fd), "output"), nil
	case !process.Scarce(err):
		// The file system has no nameless files (EOPNOTSUPP, EISDIR), or the
		// directory is not there or not ours to write to.
		if f, err := createUnlinked(); err == nil {
			return f, nil
		}
		if fd, err := unix.MemfdCreate("output", unix.MFD_CLOEXEC); err == nil {
			return appending(os.NewFile(uintptr(fd), "output"))
		}
	}
	return nil, &os.PathError{Op: "create a file for the output of jobs in", Path: Dir(), Err: err}
}

// diskDir is /tmp, or /var/tmp where what is in /tmp takes memory: output is rarely
// read more than once, and may be large.
var diskDir = sync.OnceValue(func() string {
	var tmp, other unix.Statfs_t
	if unix.Statfs("/tmp", &tmp) != nil || !onMemory(&tmp) || unix.Statfs("/var/tmp", &other) != nil || onMemory(&other) || unix.Access("/var/tmp", unix.W_OK) != nil {
		return os.TempDir()
	}
	return "/var/tmp"
})

// InMemory reports whether what is written to a file takes memory: it is in a tmpfs.
func InMemory(f *os.File) bool {
	var st unix.Statfs_t
	return unix.Fstatfs(int(f.Fd()), &st) == nil && onMemory(&st)
}

func onMemory(st *unix.Statfs_t) bool {
	return int64(st.Type) == unix.TMPFS_MAGIC || int64(st.Type) == unix.RAMFS_MAGIC
}

// Discard gives back the disk space of what has been printed, so that a job that
// writes for days does not fill the disk. A file system that cannot do that
// keeps it until the job's end.
func Discard(f *os.File, from, to int64) {
	const block = 4096 // the kernel frees whole blocks
	from, to = (from+block-1)/block*block, to/block*block
	if from < to {
		_ = unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, from, to-from)
	}
}

// Link gives a name to a file that never had one.
func Link(f *os.File, name string) error {
	err := unix.Linkat(unix.AT_FDCWD, "/proc/self/fd/"+strconv.Itoa(int(f.Fd())), unix.AT_FDCWD, name, unix.AT_SYMLINK_FOLLOW)
	if err != nil {
		return errors.ErrUnsupported // the file had a name once, or is in memory
	}
	return nil
}

// stamp marks an empty file by a time of its last change that is long ago. The
// kernel sets that time before it looks for room, so it tells whether anybody
// has tried to write.
func stamp(f *os.File) {
	var longAgo [2]unix.Timespec
	// With no name, it is the file itself. Where it fails, the file counts as
	// written to.
	_, _, _ = unix.Syscall6(unix.SYS_UTIMENSAT, f.Fd(), 0, uintptr(unsafe.Pointer(&longAgo)), 0, 0, 0)
}

// look returns the size of a file, and false if nobody has tried to write to it
// since it was stamped.
func look(f *os.File) (size int64, written bool, err error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return 0, false, os.NewSyscallError("fstat", err)
	}
	return st.Size, st.Mtim != unix.Timespec{}, nil
}

// tryRoom tries whether a file of some size can grow, without touching what is
// in it where the file system can do that. Where it cannot, a file that we do not
// have alone is not tried.
func tryRoom(f *os.File, size int64, alone bool) error {
	err := unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_KEEP_SIZE, size, 1)
	switch {
	case !alone && (err == unix.ENOSPC || err == unix.EDQUOT):
		return err
	case !alone: // what was found is given back with the file
		return nil
	case err == nil:
		return f.Truncate(size)
	}
	return appendOne(f, size)
}

// reopen opens a file of a spool another time, for a job, so that unshared can tell
// whether the job's is still open: of one open file the kernel does not say how many
// processes have it. It returns nil where that is not possible, such as without /proc.
func reopen(f *os.File) *os.File {
	fd, err := unix.Open("/proc/self/fd/"+strconv.Itoa(int(f.Fd())), unix.O_RDWR|unix.O_APPEND|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	return os.NewFile(uintptr(fd), "output")
}

// renew makes a file that a job has written so much to ready for another, and reports
// whether it could.
func renew(f *os.File, written int64) bool {
	if written == 0 {
		return true
	}
	if f.Truncate(0) != nil {
		return false
	}
	// The first close of a file that was truncated has ext4 write it to disk
	// (auto_da_alloc), which would make a job that prints a line 20 % dearer.
	if again := reopen(f); again != nil {
		again.Close()
	}
	stamp(f)
	return true
}

// Unshared reports whether f is the only time that its file is open, mappings and
// descriptors on their way through a socket included: the kernel grants a lease to
// write only then. File systems without leases never say so.
func Unshared(f *os.File) bool {
	if _, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_WRLCK); err != nil {
		return false
	}
	_, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_UNLCK)
	return err == nil
}
