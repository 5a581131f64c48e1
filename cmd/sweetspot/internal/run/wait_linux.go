package run

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

// wait waits for p to end and reaps it.
func (p process) wait(c *crowd) (ending, error) {
	defer c.leave()
	if c.join() > directWaits {
		if e, done, err := p.poll(); done {
			return e, err
		}
	}
	e, _, err := p.reap(0)
	return e, err
}

// poll waits in the runtime's poller. done is false if that is not possible
// here: kernels before 5.10, or no file descriptor left.
func (p process) poll() (e ending, done bool, err error) {
	fd, err := unix.PidfdOpen(p.pid, unix.PIDFD_NONBLOCK)
	if err != nil {
		return ending{}, false, nil
	}
	f := os.NewFile(uintptr(fd), "pidfd")
	defer f.Close()
	conn, err := f.SyscallConn()
	if err != nil {
		return ending{}, false, nil
	}
	_ = conn.Read(func(uintptr) bool {
		e, done, err = p.reap(unix.WNOHANG)
		return done
	})
	return e, done, err
}
