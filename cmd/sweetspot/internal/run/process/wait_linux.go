package process

import (
	"os"

	"golang.org/x/sys/unix"
)

// directWaits is how many jobs are waited for by a thread each. A thread that
// blocks in wait4 is the cheapest way for few short jobs. Many jobs run long,
// and a thread each would cost more memory than some of them, up to Go's limit
// of 10,000 threads, where the runtime ends the program. So the others wait on
// a pidfd in the runtime's poller, which costs some microseconds and no thread.
const directWaits = 32

// Wait waits for p, one of so many that run, to end, calls ended, and reaps it: until then the
// number of p is nobody else's, so that no signal meant for the job can reach another process.
func (p Process) Wait(running int, ended func()) (Ending, error) {
	if running <= directWaits || !p.poll() {
		for unix.Waitid(unix.P_PID, p.PID, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
		}
	}
	ended()
	return p.reap()
}

// poll waits in the runtime's poller, if that is possible here: not on kernels before
// 5.10, nor without a file descriptor left.
func (p Process) poll() bool {
	fd, err := unix.PidfdOpen(p.PID, unix.PIDFD_NONBLOCK)
	if err != nil {
		return false
	}
	f := os.NewFile(uintptr(fd), "pidfd")
	defer f.Close()
	conn, err := f.SyscallConn()
	if err != nil {
		return false
	}
	err = conn.Read(func(fd uintptr) bool {
		return unix.Waitid(unix.P_PIDFD, int(fd), nil, unix.WEXITED|unix.WNOWAIT, nil) != unix.EAGAIN
	})
	return err == nil
}
