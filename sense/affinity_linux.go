package sense

import (
	"math/bits"
	"syscall"
	"unsafe"
)

// affinity counts the CPUs that this thread may run on, or returns 0 where the
// kernel does not say. Unlike runtime.NumCPU, which keeps what it saw at the
// start, it notices taskset -p.
func affinity() int {
	var mask [1024 / unsafe.Sizeof(uintptr(0))]uintptr // 8192 CPUs, the most a kernel can be built for
	n, _, errno := syscall.RawSyscall(syscall.SYS_SCHED_GETAFFINITY, 0, unsafe.Sizeof(mask), uintptr(unsafe.Pointer(&mask)))
	if errno != 0 {
		return 0
	}
	cpus := 0
	for _, word := range mask[:n/unsafe.Sizeof(mask[0])] {
		cpus += bits.OnesCount(uint(word))
	}
	return cpus
}
