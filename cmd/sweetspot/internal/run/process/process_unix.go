//go:build unix

package process

import (
	"errors"
	"os"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A Process is the first one of a job, and leads the group of the others.
type Process struct{ PID int }

// Start starts a program. It is os.StartProcess without what a runner
// does not need (a pidfd, a handle with a finalizer, a table of states), which
// is a tenth of the cost of a short job.
func Start(path string, argv, env []string, in, out, err *os.File) (Process, error) {
	pid, e := syscall.ForkExec(path, argv, &syscall.ProcAttr{
		Env:   env,
		Files: []uintptr{in.Fd(), out.Fd(), err.Fd()},
		Sys:   jobAttr,
	})
	runtime.KeepAlive(in)
	runtime.KeepAlive(out)
	runtime.KeepAlive(err)
	return Process{pid}, e
}

// reap waits for p to end and lets go of its number.
func (p Process) reap() (Ending, error) {
	var status syscall.WaitStatus
	var use syscall.Rusage
	for {
		_, err := syscall.Wait4(p.PID, &status, 0, &use)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return Ending{}, os.NewSyscallError("wait4", err)
		}
		break
	}
	e := Ending{
		CPU: time.Duration(use.Utime.Nano() + use.Stime.Nano()),
		RSS: int64(use.Maxrss) * 1024,
	}
	if runtime.GOOS == "darwin" { // it counts single bytes
		e.RSS = int64(use.Maxrss)
	}
	if status.Signaled() {
		e.Signal = int(status.Signal())
	} else {
		e.Status = status.ExitStatus()
	}
	return e, nil
}

// SignalGroup sends sig to every process of the job, also after the death of
// its first one.
func (p Process) SignalGroup(sig syscall.Signal) {
	_ = syscall.Kill(-p.PID, sig) // ESRCH: there is none left
	if sig == syscall.SIGTERM {
		p.resume() // a stopped process would not notice
	}
}

// stop suspends every process of the job until resume.
func (p Process) stop()   { _ = syscall.Kill(-p.PID, syscall.SIGSTOP) }
func (p Process) resume() { _ = syscall.Kill(-p.PID, syscall.SIGCONT) }

// GroupLives reports whether a process of the job is left, after its first one
// has been reaped.
func (p Process) GroupLives() bool { return syscall.Kill(-p.PID, 0) != syscall.ESRCH }

// Scarce reports whether a start failed for want of processes, memory or files,
// so that it may succeed later.
func Scarce(err error) bool {
	return errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.ENOMEM) || errors.Is(err, unix.ENFILE) || OutOfFiles(err)
}

// OutOfFiles reports whether a start failed because we have too many files open.
// Between fork and exec a child of Go moves its descriptors upwards; where that
// exceeds the limit of files, the error is EBADF. All descriptors that we hand
// over are open, so it means nothing else.
func OutOfFiles(err error) bool { return errors.Is(err, unix.EMFILE) || errors.Is(err, unix.EBADF) }

// Lower returns f with the lowest descriptor that is free, if that is lower.
func Lower(f *os.File) *os.File {
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
