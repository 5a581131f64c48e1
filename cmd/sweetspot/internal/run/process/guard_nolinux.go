//go:build unix && !linux

package process

import (
	"os"
	"syscall"
)

// jobAttr puts every job into a process group of its own, so that a signal reaches
// all of its processes and none of ours.
var jobAttr = &syscall.SysProcAttr{Setpgid: true}

func newTable() (*os.File, error) {
	f, err := os.CreateTemp("", "sweetspot-*")
	if err == nil {
		err = os.Remove(f.Name())
	}
	return f, err
}
