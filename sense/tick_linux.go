package sense

import (
	"syscall"
	"unsafe"
)

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
