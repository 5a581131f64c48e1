package run

import (
	"errors"
	"os"
	"syscall"
)

// A process is a running job. Windows has no process groups in the sense of
// Unix: signals reach the first process of a job only.
type process struct {
	pid    int
	handle *os.Process
}

// startProcess starts a program. If its name in argv is empty, the next word is the whole
// command line, as it stands: cmd.exe does not read the quotes that others do.
func startProcess(path string, argv, env []string, in, out, err *os.File) (process, error) {
	attr := &os.ProcAttr{Env: env, Files: []*os.File{in, out, err}}
	if argv[0] == "" {
		attr.Sys = &syscall.SysProcAttr{CmdLine: argv[1]}
	}
	p, e := os.StartProcess(path, argv, attr)
	if e != nil {
		return process{}, e
	}
	return process{p.Pid, p}, nil
}

func (p process) reap() (ending, error) {
	st, err := p.handle.Wait()
	if err != nil {
		return ending{}, err
	}
	return ending{status: st.ExitCode(), cpu: st.UserTime() + st.SystemTime()}, nil
}

// signalGroup ends the job: Windows knows no gentler way.
func (p process) signalGroup(syscall.Signal) { _ = p.handle.Kill() }

// stop and resume do nothing: nobody asks for them on Windows.
func (p process) stop()   {}
func (p process) resume() {}

func (p process) groupLives() bool { return false }

// scarce reports whether a start failed for want of memory or handles.
func scarce(err error) bool {
	const notEnoughMemory, noSystemResources = syscall.Errno(8), syscall.Errno(1450)
	return errors.Is(err, notEnoughMemory) || errors.Is(err, noSystemResources)
}

// ownFiles reports whether a start failed because we have too many files open,
// of which Windows has no limit.
func ownFiles(error) bool { return false }

func lower(f *os.File) *os.File { return f }
