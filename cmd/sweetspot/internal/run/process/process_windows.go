package process

import (
	"errors"
	"os"
	"syscall"
)

// A Process is a running job. Windows has no process groups in the sense of
// Unix: signals reach the first process of a job only.
type Process struct {
	PID    int
	handle *os.Process
}

// Start starts a program. If its name in argv is empty, the next word is the whole
// command line, as it stands: cmd.exe does not read the quotes that others do.
func Start(path string, argv, env []string, in, out, err *os.File) (Process, error) {
	attr := &os.ProcAttr{Env: env, Files: []*os.File{in, out, err}}
	if argv[0] == "" {
		attr.Sys = &syscall.SysProcAttr{CmdLine: argv[1]}
	}
	p, e := os.StartProcess(path, argv, attr)
	if e != nil {
		return Process{}, e
	}
	return Process{p.Pid, p}, nil
}

func (p Process) reap() (Ending, error) {
	st, err := p.handle.Wait()
	if err != nil {
		return Ending{}, err
	}
	return Ending{Status: st.ExitCode(), CPU: st.UserTime() + st.SystemTime()}, nil
}

// SignalGroup ends the job: Windows knows no gentler way.
func (p Process) SignalGroup(syscall.Signal) { _ = p.handle.Kill() }

// stop and resume do nothing: nobody asks for them on Windows.
func (p Process) stop()   {}
func (p Process) resume() {}

// GroupLives reports false: Windows has no process groups.
func (p Process) GroupLives() bool { return false }

// Scarce reports whether a start failed for want of memory or handles.
func Scarce(err error) bool {
	const notEnoughMemory, noSystemResources = syscall.Errno(8), syscall.Errno(1450)
	return errors.Is(err, notEnoughMemory) || errors.Is(err, noSystemResources)
}

// OutOfFiles reports whether a start failed because we have too many files open,
// of which Windows has no limit.
func OutOfFiles(error) bool { return false }

// Lower returns f: Windows numbers no descriptors.
func Lower(f *os.File) *os.File { return f }
