package sense

import (
	"syscall"
	"time"
	"unsafe"
)

// monotonic returns the kernel's monotonic clock. It is not time.Now, whose
// clock stands still inside a testing/synctest bubble while the kernel's CPU
// counters run on: their difference would be nonsense there.
func monotonic() time.Duration {
	const clockMonotonic = 1
	var ts syscall.Timespec
	// The call cannot fail: the clock exists and the address is ours.
	syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clockMonotonic, uintptr(unsafe.Pointer(&ts)), 0)
	return time.Duration(ts.Nano())
}
