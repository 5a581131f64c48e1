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

// ownTick returns how far ownCPU may trail a running thread, s. Linux keeps the
// time of a thread in nanoseconds, and adds to it when the thread stops running
// and at each tick of the timer. How often that ticks (100 to 1000 times a
// second, a choice of whoever built the kernel) shows in the resolution of the
// coarse clocks, which advance with it.
func ownTick() float64 {
	const clockMonotonicCoarse = 6
	var ts syscall.Timespec
	_, _, errno := syscall.RawSyscall(syscall.SYS_CLOCK_GETRES, clockMonotonicCoarse, uintptr(unsafe.Pointer(&ts)), 0)
	if errno != 0 || ts.Nano() <= 0 {
		return 0
	}
	return float64(ts.Nano()) / 1e9
}
