package diagnose

import (
	"os/exec"
	"syscall"
)

// endWithParent has the kernel end the process when the thread that started it ends,
// which is when this process does, however that comes: else a benchmark would run on
// for nobody.
func endWithParent(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
