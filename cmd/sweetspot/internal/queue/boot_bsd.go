//go:build dragonfly || freebsd || netbsd || openbsd

package queue

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// boot is that of Linux. The time at which the system began moves when somebody sets the clock, and that
// counts as a restart: jobs that run come again, and none is lost.
func boot() string {
	began, err := unix.SysctlTimeval("kern.boottime")
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%d-%d", began.Sec, began.Usec)
}
