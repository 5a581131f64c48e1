//go:build unix

package run

import (
	"os"
	"syscall"
)

// The signals that change the number of jobs; nil where there are none.
var (
	sigMore  os.Signal = syscall.SIGUSR1
	sigFewer os.Signal = syscall.SIGUSR2
)
