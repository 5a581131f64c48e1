package queue

import "syscall"

// workerAttr keeps a terminal's signals from workers: scale passes them on.
var workerAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
