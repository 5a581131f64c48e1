package sense

import (
	"math/bits"
	"time"
)

var (
	Affinity     = func() int { set := affinity(); return set.len() }
	StatTimes    = statTimes
	Stalled      = stalled
	Entities     = entities
	GroupPaths   = groupPaths
	Names        = names
	ProcessTimes = func(b []byte) (parent, threads int, ticks, pages uint64, ok bool) {
		st, ok := processTimes(b)
		return st.parent, st.threads, st.ticks, st.pages, ok
	}
	MountPoints = func(s string) map[string][2]string {
		points := map[string][2]string{}
		for controller, m := range mountPoints(s) {
			points[controller] = [2]string{m.point, m.root}
		}
		return points
	}
)

// SetParent makes the watcher take pid for the parent of all jobs.
func (c *Children) SetParent(pid int) { c.watcher.self = pid }

// NewProcessMasked is NewProcessAt with an affinity mask.
func NewProcessMasked(root string, clock func() time.Duration, own func() float64, cpus []int) *Process {
	h := newHost(root)
	h.mask = func() (set cpuSet) {
		for _, cpu := range cpus {
			set[cpu/bits.UintSize] |= 1 << (cpu % bits.UintSize)
		}
		return set
	}
	return newProcess(newSampler(h, clock, own, true))
}

// FreeMemoryBelow is FreeMemory on the machine whose files are below root.
func FreeMemoryBelow(root string) func() (free, total float64, ok bool) {
	h := newHost(root)
	return func() (free, total float64, ok bool) { return freeMemory(h) }
}

// CountCPUs counts the CPUs that root's /proc/stat lists.
func CountCPUs(root string) int {
	var m machine
	m.look(newHost(root))
	return m.clock.countCPUs()
}

// A Resource is one watched resource.
type Resource struct {
	resource
	bound *bound
}

func (r Resource) Look(now time.Duration, peak, inFlight int) int {
	if g, ok := r.resource.(gauge); ok {
		g.read(now)
	}
	r.look(r.bound, now, peak, inFlight)
	return r.bound.units
}

// NewNproc returns the resource of RLIMIT_NPROC with this user and limit.
func NewNproc(root string, user int, limit uint64) Resource {
	n := newNproc(newHost(root))
	n.user, n.limit = user, func() (uint64, bool) { return limit, true }
	return Resource{n, new(bound)}
}

// NewFiles returns the resource of RLIMIT_NOFILE.
func NewFiles() Resource {
	return newFiles(here().files)
}

// NewFilesCounted returns the same where the kernel does not tell the number:
// the directory's size is that of another, which is 0.
func NewFilesCounted() Resource {
	return newFiles(open("/proc"))
}

func newFiles(dir file) Resource {
	g := newFilesGauge(dir, make([]byte, scratch))
	return Resource{g, new(bound)}
}
