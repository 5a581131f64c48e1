//go:build unix

package sense

import (
	"runtime"
	"syscall"
)

// ownPeak returns the most resident memory, in bytes, that this process ever
// held.
func ownPeak() float64 {
	var ru syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &ru) != nil {
		return 0
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return float64(ru.Maxrss) // bytes there, KiB elsewhere
	}
	return float64(ru.Maxrss) * 1024
}
