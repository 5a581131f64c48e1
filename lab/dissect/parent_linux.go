package dissect

import (
	"os/exec"
	"syscall"
)

// EndWithParent has the kernel kill a process when the thread that started it ends, which is when
// this process does, however that comes: else it would run on for nobody. Threads of Go live as
// long as the process, but for those on which a goroutine ends that is still locked to them, and
// such a one starts none.
func EndWithParent(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
