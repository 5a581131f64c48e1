package load

import "time"

var (
	IdleSeconds       = idleSeconds
	DescendantSeconds = descendantSeconds
)

// ParseProcess returns what /proc/PID/stat says.
func ParseProcess(stat string) (pid, parent int, seconds float64, ok bool) {
	p, ok := parseProcess([]byte(stat))
	return p.pid, p.parent, p.seconds, ok
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
