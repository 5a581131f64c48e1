package run

import (
	"errors"
	"math"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// defaultShell runs the lines of -c, unless another shell is wanted.
const defaultShell = "cmd.exe"

// Windows has an interrupt and, when the console is closed, a TERM, but none of these.
var (
	sigMark  = os.Signal(syscall.Signal(-1))
	sigMore  os.Signal
	sigFewer os.Signal
)

func mark() bool { return false }

// suspendSignals: Windows has none.
var suspendSignals []os.Signal

func suspend(*processes) {}

// isBrokenPipe reports whether a write failed because its reader is gone.
func isBrokenPipe(err error) bool {
	const noData = syscall.Errno(232)
	return errors.Is(err, syscall.ERROR_BROKEN_PIPE) || errors.Is(err, noData)
}

// A guard ends the processes of a run that has ended without doing so. It is a job in
// the sense of Windows, to which we and so all our descendants belong: when its last
// handle is closed, which is ours, the system ends what is left in it.
type guard struct{ job windows.Handle }

// newGuard makes a guard, or returns nil where that is not possible.
func newGuard(string, ...*os.File) *guard {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil
	}
	g := &guard{job}
	if g.limit(windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE) != nil ||
		windows.AssignProcessToJobObject(job, windows.CurrentProcess()) != nil {
		windows.CloseHandle(job)
		return nil
	}
	return g
}

func (g *guard) limit(flags uint32) error {
	var info windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	info.BasicLimitInformation.LimitFlags = flags
	_, err := windows.SetInformationJobObject(g.job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	return err
}

func (g *guard) add(int)    {}
func (g *guard) remove(int) {}

// close lets live what jobs have left behind.
func (g *guard) close() {
	if g != nil && g.limit(0) == nil {
		windows.CloseHandle(g.job)
	}
}

// LockFile reserves a file for this process until it closes it. The error says that
// another has it.
func LockFile(f *os.File) error {
	// A byte far behind the end: others may read what the file holds.
	at := &windows.Overlapped{OffsetHigh: 1 << 20}
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, at)
}

func lockDirectory(*os.File) error { return nil }

// reserve does nothing: no process of ours outlives us.
func reserve(*os.File) error { return nil }

// newSpoolFile makes a temporary file, which keeps its name while it is open.
func newSpoolFile() (*os.File, error) { return createTemp() }

func closeSpoolFile(f *os.File) {
	f.Close()
	os.Remove(f.Name())
}

func fileLimit() int64 { return math.MaxInt64 }

// openFiles is how many files we may have open: Windows sets no bound that we meet.
func openFiles() int64 { return math.MaxInt64 }

// takesAtOnce reports false: nobody says whether a pipe has room.
func takesAtOnce() bool { return false }

// renice is not possible here.
func renice(int) error { return errors.New("Windows has no niceness") }

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
