//go:build linux

package process

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
	p, err := Start(path, []string{path}, nil, null, null, null)
	if err != nil {
		return false, err
	}
	var then error
	_, err = p.Wait(jobs, func() { then = syscall.Kill(p.PID, 0) })
	return then == nil && syscall.Kill(p.PID, 0) == syscall.ESRCH, err
}
