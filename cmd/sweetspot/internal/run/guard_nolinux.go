//go:build unix && !linux

package run

import (
	"os"
	"syscall"
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
