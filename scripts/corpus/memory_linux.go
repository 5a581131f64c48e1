package main

import (
	"os"
	"syscall"
)

// memoryOf returns how much memory a process that has ended had at most.
func memoryOf(p *os.ProcessState) int64 {
	if usage, ok := p.SysUsage().(*syscall.Rusage); ok {
		return int64(usage.Maxrss) << 10
	}
	return 0
}
