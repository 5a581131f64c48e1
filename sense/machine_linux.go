package sense

import (
	"math"
	"sync"
	"time"
)

// A host is the machine and the cgroup as files kept open. All sensors of a process
// share one: a program with a thousand limiters opens these files once.
type host struct {
	mu                     sync.Mutex // held by those who read
	root                   string     // empty but for tests
	stat, meminfo, loadavg file
	statm, files           file // of this process
	memoryPSI, groupPSI    file // pressure of the machine and of our cgroup
	cpuLevels              []cpuLevel
	memoryLevels           []memoryLevel
	pidsLevels             []pidsLevel
}

// here returns the host that this process runs on.
var here = sync.OnceValue(func() *host { return newHost("") })

// newHost opens the files of the machine below root, which is empty but for
// tests.
func newHost(root string) *host {
	g := findCgroup(root)
	h := &host{
		root:         root,
		stat:         open(root + "/proc/stat"),
		meminfo:      open(root + "/proc/meminfo"),
		loadavg:      open(root + "/proc/loadavg"),
		statm:        open(root + "/proc/self/statm"),
		files:        open(root + "/proc/self/fd"),
		memoryPSI:    open(root + "/proc/pressure/memory"),
		cpuLevels:    openCPULevels(g),
		memoryLevels: openMemoryLevels(g),
		pidsLevels:   openPIDsLevels(g),
	}
	if g.memoryV2 {
		h.groupPSI = open(g.memory[0] + "/memory.pressure")
	}
	return h
}

// A machine is one sampler's view of a host: what everybody uses, and how many
// CPUs we may use.
type machine struct {
	host  *host
	clock machineClock
	buf   [512]byte

	next  time.Duration // when the quotas are looked at again
	limit float64       // CPUs by affinity and quota
	tight int           // level with the tightest quota, or -1

	at    int     // level that usage came from last, or -1
	usage float64 // of that level at the last reading
	total ratchet
	begun bool
}

// relook is how often affinity and quotas are read: an administrator's change,
// which nobody expects to act at once.
const relook = time.Second

// look begins a view of h. A machine must not be copied afterwards.
func (m *machine) look(h *host) {
	*m = machine{host: h, limit: math.Inf(1), tight: -1, at: -1}
	m.clock.stat = h.stat
	m.clock.buf = m.buf[:]
}

// cpus returns the CPUs that the affinity mask and the cgroup's quota leave us,
// or +Inf.
func (m *machine) cpus(now time.Duration) float64 {
	if m.begun && now < m.next {
		return m.limit
	}
	m.begun, m.next = true, now+relook
	m.limit, m.tight = math.Inf(1), -1
	for i := range m.host.cpuLevels {
		if c := m.host.cpuLevels[i].cpus(m.buf[:]); c < m.limit {
			m.limit, m.tight = c, i
		}
	}
	if n := affinity(); n > 0 {
		m.limit = min(m.limit, float64(n))
	}
	return m.limit
}

// online returns the CPUs of the machine, whoever may use them.
func (m *machine) online() int { return max(1, m.clock.cpus) }

// used returns the CPU seconds used by everybody in the cgroup with the
// tightest quota or, without a quota, on the machine. It never falls and grows
// at least as fast as own. Call cpus before it.
func (m *machine) used(now time.Duration, own float64, clock func() time.Duration) float64 {
	if m.tight >= 0 {
		if usage, ok := m.host.cpuLevels[m.tight].used(m.buf[:]); ok {
			delta := 0.0
			if m.at == m.tight {
				delta = max(0, usage-m.usage)
			}
			m.at, m.usage = m.tight, usage
			m.clock.primed = false // should the quota go, the machine's count starts anew
			return m.total.add(own, delta, true, lag*m.limit)
		}
	}
	m.at = -1
	delta, ok := m.clock.used(now, clock)
	return m.total.add(own, delta, ok, m.clock.slack())
}

// lag is by how much a cgroup's usage may trail getrusage per CPU, s: what runs
// is added at the timer tick, 10 ms at most.
const lag = 0.01
