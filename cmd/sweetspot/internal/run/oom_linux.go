package run

import "os"

// oomKills returns how many processes the kernel has killed for want of memory since it
// booted, for a cgroup's or the machine's; -1 if it does not say.
func oomKills() int64 {
	text, _ := os.ReadFile("/proc/vmstat")
	if n, ok := statLine(text, "\noom_kill "); ok {
		return int64(n)
	}
	return -1
}
