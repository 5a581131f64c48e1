//go:build linux

package run

import (
	"os"
	"syscall"
)

// EndedUnreaped runs a program among so many jobs, and reports whether its number was
// still its own when its end was told, and not any more after that.
func EndedUnreaped(path string, jobs int) (bool, error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return false, err
	}
	defer null.Close()
	p, err := startProcess(path, []string{path}, nil, null, null, null)
	if err != nil {
		return false, err
	}
	var then error
	_, err = p.wait(jobs, func() { then = syscall.Kill(p.pid, 0) })
	return then == nil && syscall.Kill(p.pid, 0) == syscall.ESRCH, err
}
