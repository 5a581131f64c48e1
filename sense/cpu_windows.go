package sense

import "syscall"

// ownCPU returns the CPU seconds, user and kernel, of all threads of this
// process that ever ran. Child processes are not in it.
func ownCPU() float64 {
	h, err := syscall.GetCurrentProcess()
	if err != nil {
		return 0
	}
	var created, exited, kernel, user syscall.Filetime
	if syscall.GetProcessTimes(h, &created, &exited, &kernel, &user) != nil {
		return 0
	}
	return ticks(kernel) + ticks(user)
}

// ticks converts a span in units of 100 ns to seconds. (Filetime.Nanoseconds
// is for dates: it subtracts the years before 1970.)
func ticks(t syscall.Filetime) float64 {
	return float64(uint64(t.HighDateTime)<<32|uint64(t.LowDateTime)) / 1e7
}
