package sense

import "math"

// A cpuLevel is one level of the cgroup tree with a CPU quota, or that may get
// one: v2 has quota and period in cpu.max, v1 in two files.
type cpuLevel struct {
	max, quota, period file // v2: max; v1: quota and period
	usage              file // v2: cpu.stat; v1: cpuacct.usage
}

// openCPULevels opens the CPU files of every level of g.
func openCPULevels(g cgroup) []cpuLevel {
	var all []cpuLevel
	for i, dir := range g.cpu {
		var l cpuLevel
		if g.v2 {
			l.max, l.usage = open(dir+"/cpu.max"), open(dir+"/cpu.stat")
		} else {
			l.quota, l.period = open(dir+"/cpu.cfs_quota_us"), open(dir+"/cpu.cfs_period_us")
			if i < len(g.usage) {
				l.usage = open(g.usage[i] + "/cpuacct.usage")
			}
		}
		if l.max.ok() || l.quota.ok() && l.period.ok() {
			all = append(all, l)
		} else {
			l.close()
		}
	}
	return all
}

// cpus returns the level's quota in CPUs, which need not be whole, or +Inf.
func (l *cpuLevel) cpus(buf []byte) float64 {
	var quota, period uint64
	var ok1, ok2 bool
	if l.max.ok() {
		b := l.max.read(buf)
		quota, b, ok1 = number(b)
		period, _, ok2 = number(b)
	} else {
		quota, ok1 = l.quota.number(buf) // -1, no quota, does not parse
		period, ok2 = l.period.number(buf)
	}
	if !ok1 || !ok2 || quota == 0 || period == 0 {
		return math.Inf(1)
	}
	return float64(quota) / float64(period)
}

// used returns the CPU seconds that the level's processes used.
func (l *cpuLevel) used(buf []byte) (float64, bool) {
	if l.max.ok() {
		us, ok := value(l.usage.read(buf), "usage_usec ")
		return float64(us) / 1e6, ok
	}
	ns, ok := l.usage.number(buf)
	return float64(ns) / 1e9, ok
}

func (l *cpuLevel) close() {
	for _, f := range []*file{&l.max, &l.quota, &l.period, &l.usage} {
		f.close()
	}
}
