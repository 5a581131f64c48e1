//go:build unix && !linux

package process

import "golang.org/x/sys/unix"

// Renice gives this process and all that it starts a niceness.
func Renice(n int) error { return unix.Setpriority(unix.PRIO_PROCESS, 0, n) }
