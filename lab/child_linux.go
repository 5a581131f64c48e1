package lab

import (
	"os/exec"
	"syscall"
)

// endWithParent has the kernel kill the process when the thread that started it
// ends. Threads of Go live as long as the process, but for those on which a
// goroutine ends that is still locked to them, and such a one starts none.
func endWithParent(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
