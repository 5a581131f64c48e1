package dissect

import (
	"os/exec"
	"syscall"
)

// EndWithParent makes the kernel kill a process when the thread that started it ends. That is when
// this process ends, even if it is killed. Otherwise the child would run on without use. Threads of Go
// live as long as the process, except one whose goroutine ends while it is locked to the thread,
// and such a goroutine starts no process.
func EndWithParent(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
