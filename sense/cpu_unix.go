//go:build unix

package sense

import "syscall"

// ownCPU returns the CPU seconds, user and system, of all threads of this
// process that ever ran. Child processes are not in it.
func ownCPU() float64 {
	var ru syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &ru) != nil {
		return 0
	}
	return seconds(ru.Utime) + seconds(ru.Stime)
}

func seconds(t syscall.Timeval) float64 { return float64(t.Nano()) / 1e9 }
