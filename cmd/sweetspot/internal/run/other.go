//go:build !linux

package run

import (
	"errors"
	"os"
)

// What only Linux has, as other systems stand in for it.

// Jobs have a file as their stderr.
type (
	inlets struct{}
	inlet  struct{ w *os.File }
)

func newInlets() *inlets              { return nil }
func (*inlets) inlet(*os.File) *inlet { return nil }
func (*inlets) close()                {}
func (*inlet) end() error             { return nil }

// stamp does nothing: every file counts as written to.
func stamp(*os.File) {}

// look returns the size of a file.
func look(f *os.File) (size int64, written bool, err error) {
	st, err := f.Stat()
	if err != nil {
		return 0, false, err
	}
	return st.Size(), true, nil
}

// tryRoom tries whether a file of some size can grow, if we have it alone.
func tryRoom(f *os.File, size int64, alone bool) error {
	if !alone {
		return nil
	}
	return appendOne(f, size)
}

// reopen returns nil: nobody could say later whether the job's files are still open.
func (s *spool) reopen() *spool { return nil }

func unshared(*os.File) bool { return false }

func renew(*os.File, int64) bool { return false }

func diskDir() string { return os.TempDir() }

// discard: here, what a job writes stays on disk until its end.
func discard(*os.File, int64, int64) {}

// linkFile: a file without a name stays so.
func linkFile(*os.File, string) error { return errors.ErrUnsupported }

const tellsStops = false

func (p process) stoppedByTerminal() bool { return false }

// inMemory: only Linux says so.
func inMemory(*os.File) bool { return false }

// oomKills is not known here.
func oomKills() int64 { return -1 }

// wantingProcesses is known on Linux only.
func wantingProcesses() (int, error) {
	return 0, errors.New("this system does not tell how many processes run")
}

// livingGroups is known on Linux only.
func livingGroups() (map[int]bool, error) { return nil, errors.ErrUnsupported }

// wait waits for p to end and reaps it. Then it calls ended: here no call of the system
// waits without reaping, so the number may be another process's for a moment.
func (p process) wait(_ int, ended func()) (ending, error) {
	defer ended()
	return p.reap()
}
