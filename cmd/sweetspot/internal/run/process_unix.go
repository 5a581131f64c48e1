//go:build unix

package run

import (
	"errors"
	"os"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

type process struct{ pid int }

// startProcess starts a program. It is os.StartProcess without what a runner
// does not need (a pidfd, a handle with a finalizer, a table of states), which
// is a tenth of the cost of a short job.
func startProcess(path string, argv, env []string, in, out, err *os.File) (process, error) {
	pid, e := syscall.ForkExec(path, argv, &syscall.ProcAttr{
		Env:   env,
		Files: []uintptr{in.Fd(), out.Fd(), err.Fd()},
		Sys:   jobAttr,
	})
	runtime.KeepAlive(in)
	runtime.KeepAlive(out)
	runtime.KeepAlive(err)
	return process{pid}, e
}

// reap waits for p to end and lets go of its number.
func (p process) reap() (ending, error) {
	var status syscall.WaitStatus
	var use syscall.Rusage
	for {
		_, err := syscall.Wait4(p.pid, &status, 0, &use)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return ending{}, os.NewSyscallError("wait4", err)
		}
		break
	}
	e := ending{
		cpu: time.Duration(use.Utime.Nano() + use.Stime.Nano()),
		rss: int64(use.Maxrss) * 1024,
	}
	if runtime.GOOS == "darwin" { // it counts single bytes
		e.rss = int64(use.Maxrss)
	}
	if status.Signaled() {
		e.signal = int(status.Signal())
	} else {
		e.status = status.ExitStatus()
	}
	return e, nil
}

// signalGroup sends sig to every process of the job, also after the death of
// its first one.
func (p process) signalGroup(sig syscall.Signal) {
	_ = syscall.Kill(-p.pid, sig) // ESRCH: there is none left
	if sig == syscall.SIGTERM {
		p.resume() // a stopped process would not notice
	}
}

// stop suspends every process of the job until resume.
func (p process) stop()   { _ = syscall.Kill(-p.pid, syscall.SIGSTOP) }
func (p process) resume() { _ = syscall.Kill(-p.pid, syscall.SIGCONT) }

// groupLives reports whether a process of the job is left, after its first one
// has been reaped.
func (p process) groupLives() bool { return syscall.Kill(-p.pid, 0) != syscall.ESRCH }

// scarce reports whether a start failed for want of processes, memory or files,
// so that it may succeed later.
func scarce(err error) bool {
	return errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.ENOMEM) || errors.Is(err, unix.ENFILE) || ownFiles(err)
}

// ownFiles reports whether a start failed because we have too many files open.
// Between fork and exec a child of Go moves its descriptors upwards; where that
// exceeds the limit of files, the error is EBADF. All descriptors that we hand
// over are open, so it means nothing else.
func ownFiles(err error) bool { return errors.Is(err, unix.EMFILE) || errors.Is(err, unix.EBADF) }

// lower returns f with the lowest descriptor that is free, if that is lower.
func lower(f *os.File) *os.File {
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return f
	}
	again := os.NewFile(uintptr(fd), f.Name())
	if uintptr(fd) < f.Fd() {
		f, again = again, f
	}
	again.Close()
	return f
}
