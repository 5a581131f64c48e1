package sense

import "math"

// A cpuLevel is one level of the cgroup tree with a CPU quota, or that may get
// one: v2 has quota and period in cpu.max, v1 in two files.
type cpuLevel struct {
	max, quota, period file // v2: max; v1: quota and period
	usage              file // v2: cpu.stat; v1: cpuacct.usage
	stat               file // v1: cpu.stat, open once there is a quota
	path               string
}

// openCPULevels opens the CPU files of every level of g.
func (h *host) openCPULevels(g cgroup) (all []cpuLevel) {
	for i, dir := range g.cpu {
		var l cpuLevel
		if g.v2 {
			l.max = h.open(dir + "/cpu.max")
		} else {
			l.quota, l.period = h.open(dir+"/cpu.cfs_quota_us"), h.open(dir+"/cpu.cfs_period_us")
		}
		switch {
		case l.max.ok():
			l.usage = h.open(dir + "/cpu.stat")
		case !l.quota.ok() || !l.period.ok():
			continue
		default:
			l.path = dir + "/cpu.stat"
			if i < len(g.usage) {
				l.usage = h.open(g.usage[i] + "/cpuacct.usage")
			}
		}
		all = append(all, l)
	}
	return all
}

// read returns the level's quota in CPUs, which need not be whole, or +Inf, and the
// period of which it is a part, s.
func (l *cpuLevel) read(h *host) (cpus, per float64) {
	var quota, period uint64
	var ok1, ok2 bool
	if l.max.ok() {
		b := h.read(l.max)
		quota, b, ok1 = number(b)
		period, _, ok2 = number(b)
	} else {
		quota, ok1 = h.number(l.quota) // -1, no quota, does not parse
		period, ok2 = h.number(l.period)
	}
	if !ok1 || !ok2 || quota == 0 || period == 0 {
		return math.Inf(1), 0
	}
	if l.path != "" && !l.stat.ok() { // most levels have no quota, and files may be few
		l.stat = h.open(l.path)
		l.path = ""
	}
	return float64(quota) / float64(period), float64(period) / 1e6
}

// used returns the CPU seconds that the level's processes used, and those in which
// they were throttled: for each CPU on which one of them could have run.
func (l *cpuLevel) used(h *host) (used, throttled float64, ok bool) {
	if l.max.ok() {
		b := h.read(l.usage)
		us, ok := value(b, "usage_usec ")
		kept, _ := value(b, "throttled_usec ")
		return float64(us) / 1e6, float64(kept) / 1e6, ok
	}
	kept, _ := value(h.read(l.stat), "throttled_time ")
	ns, ok := h.number(l.usage)
	return float64(ns) / 1e9, float64(kept) / 1e9, ok
}

// A quota is what a machine knows of a level.
type quota struct {
	scope
	cpus, period    float64
	primed          bool
	used, throttled float64 // at the newest reading
	left            float64 // CPU seconds of the quota that were left of the newest period
}

// read returns what the level used up since the last call, dt seconds ago: what its
// processes used and, as far as some was left, the time in which they were throttled.
// The CPUs then stood idle, but were not available.
func (q *quota) read(h *host, l *cpuLevel, dt float64) (delta float64, ok bool) {
	used, throttled, ok := l.used(h)
	if !ok {
		return 0, false
	}
	delta, kept, primed := max(0, used-q.used), max(0, throttled-q.throttled), q.primed
	q.used, q.throttled, q.primed = used, throttled, true
	if !primed {
		return 0, true
	}
	most := q.cpus * q.period
	q.left = min(max(q.left+q.cpus*dt-delta, -most), most)
	kept = min(kept, max(0, q.left))
	q.left -= kept
	return delta + kept, true
}
