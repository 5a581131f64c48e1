package run

import (
	"bufio"
	"os"
	"strconv"
	"strings"
)

// oomKills returns how many processes the kernel has killed for want of memory since it
// booted, for a cgroup's or the machine's; -1 if it does not say.
func oomKills() int64 {
	f, err := os.Open("/proc/vmstat")
	if err != nil {
		return -1
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if count, ok := strings.CutPrefix(lines.Text(), "oom_kill "); ok {
			if n, err := strconv.ParseInt(count, 10, 64); err == nil {
				return n
			}
		}
	}
	return -1
}
