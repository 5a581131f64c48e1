package sense

import (
	"math/bits"
	"syscall"
	"unsafe"
)

// A cpuSet is an affinity mask of up to 8192 CPUs, the most a kernel can be built for.
type cpuSet [1024 / unsafe.Sizeof(uintptr(0))]uintptr

// affinity returns the CPUs that this thread may run on, none where the kernel does not
// say. Unlike runtime.NumCPU, which keeps what it saw at the start, it notices taskset -p.
func affinity() (set cpuSet) {
	_, _, errno := syscall.RawSyscall(syscall.SYS_SCHED_GETAFFINITY, 0, unsafe.Sizeof(set), uintptr(unsafe.Pointer(&set)))
	if errno != 0 {
		return cpuSet{}
	}
	return set
}

func (s *cpuSet) len() int {
	n := 0
	for _, word := range s {
		n += bits.OnesCount(uint(word))
	}
	return n
}

func (s *cpuSet) has(cpu uint64) bool {
	word := cpu / bits.UintSize
	return word < uint64(len(s)) && s[word]>>(cpu%bits.UintSize)&1 == 1
}
