package process

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// StoppedByTerminal reports whether the first process of a job was stopped, since the
// last call, because it wanted to read from the terminal or to set it. It reaps nothing.
func (p Process) StoppedByTerminal() bool {
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
	err := unix.Waitid(unix.P_PID, p.PID, (*unix.Siginfo)(unsafe.Pointer(&info)), unix.WSTOPPED|unix.WNOHANG, nil)
	if err != nil || int(info.child.pid) != p.PID {
		return false
	}
	s := unix.Signal(info.child.status)
	return s == unix.SIGTTIN || s == unix.SIGTTOU
}
