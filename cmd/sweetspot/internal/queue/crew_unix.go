//go:build unix

package queue

import "syscall"

// workerAttr keeps a terminal's signals from workers: scale passes them on.
var workerAttr = &syscall.SysProcAttr{Setpgid: true}
