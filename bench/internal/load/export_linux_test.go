package load

import (
	"time"

	"github.com/prometheus/procfs"
)

// DescendantSeconds returns the CPU time of the descendants of a process.
func DescendantSeconds(pid int) float64 {
	proc, err := procfs.NewDefaultFS()
	if err != nil {
		return 0
	}
	return descendantSeconds(proc, pid)
}

// OthersSince returns what others used between two loads, each given as the
// seconds of its instant, of everybody's CPU time, and of ours.
func OthersSince(was, now [3]float64) (cpus float64, known bool) {
	make := func(x [3]float64) Load {
		return Load{at: epoch.Add(time.Duration(x[0] * float64(time.Second))), total: x[1], own: x[2], known: true}
	}
	return make(now).OthersSince(make(was))
}

// Known reports whether the load of this machine can be read.
func Known() bool { return Now().known }
