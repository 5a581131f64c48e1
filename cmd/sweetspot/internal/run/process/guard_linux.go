package process

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// jobAttr puts every job into a process group of its own, so that a signal reaches
// all of its processes and none of ours. The kernel kills its first process when the
// thread that started it ends, which threads of Go do with the program only: so a job
// that the guard has not heard of yet ends, too.
var jobAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}

func newTable() (*os.File, error) {
	fd, err := unix.MemfdCreate("jobs", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	return os.NewFile(uintptr(fd), "jobs"), nil
}
