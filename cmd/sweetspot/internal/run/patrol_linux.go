package run

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

const tellsStops = true

// stoppedByTerminal reports whether the first process of a job was stopped, since the
// last call, because it wanted to read from the terminal or to set it. It reaps nothing.
func (p process) stoppedByTerminal() bool {
	// As the kernel has it: the union in the middle begins at the size of a pointer.
	var info struct {
		signo, errno, code int32
		child              struct {
			_        [0]uintptr
			pid, uid int32
			status   int32
		}
		_ [128]byte
	}
	err := unix.Waitid(unix.P_PID, p.pid, (*unix.Siginfo)(unsafe.Pointer(&info)), unix.WSTOPPED|unix.WNOHANG, nil)
	if err != nil || int(info.child.pid) != p.pid {
		return false
	}
	s := unix.Signal(info.child.status)
	return s == unix.SIGTTIN || s == unix.SIGTTOU
}

// inMemory reports whether what is written to a file takes memory: it is in a tmpfs.
func inMemory(f *os.File) bool {
	var st unix.Statfs_t
	return unix.Fstatfs(int(f.Fd()), &st) == nil && onMemory(&st)
}

func onMemory(st *unix.Statfs_t) bool {
	return int64(st.Type) == unix.TMPFS_MAGIC || int64(st.Type) == unix.RAMFS_MAGIC
}
