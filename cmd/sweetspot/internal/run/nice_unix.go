//go:build unix && !linux

package run

import "golang.org/x/sys/unix"

// renice gives this process and all that it starts a niceness.
func renice(n int) error { return unix.Setpriority(unix.PRIO_PROCESS, 0, n) }
