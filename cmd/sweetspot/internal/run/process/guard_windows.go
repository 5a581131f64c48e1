package process

import (
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

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
