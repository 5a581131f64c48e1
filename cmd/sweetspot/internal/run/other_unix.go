//go:build unix && !linux

package run

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// jobAttr puts every job into a process group of its own, so that a signal reaches
// all of its processes and none of ours.
var jobAttr = &syscall.SysProcAttr{Setpgid: true}

func newTable() (*os.File, error) {
	f, err := createTemp()
	if err == nil {
		err = os.Remove(f.Name())
	}
	return f, err
}

// renice gives this process and all that it starts a niceness.
func renice(n int) error { return unix.Setpriority(unix.PRIO_PROCESS, 0, n) }

// newSpoolFile makes a temporary file and removes its name.
func newSpoolFile() (*os.File, error) { return createUnlinked() }
