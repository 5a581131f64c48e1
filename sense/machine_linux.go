package sense

import (
	"bytes"
	"math"
	"sync"
	"time"
)

// A host is the machine and the cgroup as files kept open. All sensors of a process
// share one: a program with a thousand limiters opens these files once.
type host struct {
	mu                     sync.Mutex // held while reading
	buf                    [scratch]byte
	root                   string // empty but for tests
	mask                   func() cpuSet
	stat, meminfo, loadavg file
	statm, files           file // of this process
	memoryPSI              file // pressure of the machine

	self         []byte // path of the file that says in which cgroups we are, zero-terminated
	where        []byte // what it said before the files of the levels were opened
	asked        time.Duration
	moves        int    // how often we were moved to others
	opened       []file // of these
	groupPSI     file   // pressure of our cgroup
	cpuLevels    []cpuLevel
	memoryLevels []memoryLevel
	pidsLevels   []pidsLevel
}

var here = sync.OnceValue(func() *host { return newHost("") })

// newHost opens the files of the machine below root, which is empty but for
// tests.
func newHost(root string) *host {
	h := &host{
		root:      root,
		self:      []byte(root + "/proc/self/cgroup\x00"),
		mask:      affinity,
		stat:      open(root + "/proc/stat"),
		meminfo:   open(root + "/proc/meminfo"),
		loadavg:   open(root + "/proc/loadavg"),
		statm:     open(root + "/proc/self/statm"),
		files:     open(root + "/proc/self/fd"),
		memoryPSI: open(root + "/proc/pressure/memory"),
		asked:     -recheck,
	}
	// First what it says, then the files: a move in between is noticed later.
	h.where = append(h.where, h.groups()...)
	h.enter()
	return h
}

// enter opens the files of the cgroups that we are in.
func (h *host) enter() {
	g := findCgroup(h.root)
	h.cpuLevels, h.memoryLevels, h.pidsLevels = h.openCPULevels(g), h.openMemoryLevels(g), h.openPIDsLevels(g)
	h.groupPSI = file{}
	if g.memoryV2 {
		h.groupPSI = h.open(g.memory[0] + "/memory.pressure")
	}
}

// scratch is enough for the longest file that is read, memory.stat.
const scratch = 4096

// read returns what a file says now, or nil. It is valid until the next read.
func (h *host) read(f file) []byte { return f.read(h.buf[:]) }

// number returns the number that a file starts with.
func (h *host) number(f file) (uint64, bool) {
	v, _, ok := number(h.read(f))
	return v, ok
}

// open opens a file of a cgroup that we are in.
func (h *host) open(path string) file {
	f := open(path)
	h.opened = append(h.opened, f)
	return f
}

// recheck is how often we look whether we were moved to another cgroup. It happens
// when a service or a container starts, and hardly ever after.
const recheck = 10 * time.Second

// follow enters the cgroups that we were moved to, if we were.
func (h *host) follow(now time.Duration) {
	if now-h.asked < recheck {
		return
	}
	h.asked = now
	b := h.groups()
	if len(b) == 0 || bytes.Equal(b, h.where) { // what cannot be read now, as where files have run out, does not say that we were moved
		return
	}
	h.where = append(h.where[:0], b...)
	for _, f := range h.opened {
		f.close()
	}
	h.opened = nil
	h.enter()
	h.moves++
}

// groups returns the content of the file that says in which cgroups we are. It is
// read too seldom to be kept open.
func (h *host) groups() []byte {
	fd, errno := openat(h.self, 0)
	if errno != 0 {
		return nil
	}
	f := file{fd + 1}
	defer f.close()
	return h.read(f)
}

// A machine is one sampler's view of a host: how many CPUs we may use, and which part
// of them others use.
type machine struct {
	host  *host
	clock machineClock

	next   time.Duration // when mask and quotas are looked at again
	begun  bool
	limit  float64 // CPUs by mask and quota
	moves  int     // of host, when the levels were last looked at
	levels []quota
	all    scope
	rate   float64 // CPUs of ours that others took when it was last read
	ahead  float64 // CPU seconds told since then on the assumption that they still do

	at          time.Duration // of the newest reading
	own, others float64       // CPU seconds until then: ours, and what others took away
}

// relook is how often the mask and quotas are read: an administrator changes
// them, and does not expect an effect at once.
const relook = time.Second

// look begins a view of h.
func (m *machine) look(h *host) {
	*m = machine{host: h}
	m.clock.host = h
}

// cpus returns the CPUs that the affinity mask and the cgroup's quota leave us,
// or +Inf.
func (m *machine) cpus(now time.Duration) float64 {
	// Another sampler may have noticed a move: our levels are then those of the old group.
	if m.begun && now < m.next && m.moves == m.host.moves {
		return m.limit
	}
	m.next = now + relook
	m.host.follow(now)
	if !m.begun || m.moves != m.host.moves {
		m.levels, m.moves = make([]quota, len(m.host.cpuLevels)), m.host.moves
	}
	m.begun = true
	m.limit = math.Inf(1)
	for i := range m.levels {
		q := &m.levels[i]
		q.cpus, q.period = m.host.cpuLevels[i].read(m.host)
		m.limit = min(m.limit, q.cpus)
	}
	mask := m.host.mask()
	if n := mask.len(); n > 0 {
		m.limit = min(m.limit, float64(n))
	}
	m.clock.allow(&mask)
	return m.limit
}

// online returns the CPUs of the machine, whoever may use them.
func (m *machine) online() int { return max(1, m.clock.online) }

// used returns CPU seconds: own, those of this process so far, and what others take away
// of the CPUs that we may use, on the machine or in a cgroup with a quota. It never falls
// and grows at least as fast as own. Call cpus before it; available are the CPUs by that
// and by GOMAXPROCS.
func (m *machine) used(now time.Duration, own, available float64, clock func() time.Duration) float64 {
	dt := 0.0
	if m.at > 0 {
		dt = (now - m.at).Seconds()
	} else {
		m.own, m.all.own = own, own
	}
	m.at = now
	taken := 0.0
	switch delta, span, ok := m.clock.used(now, clock); {
	case !ok:
	case span == 0:
		// The file takes long to read. Until then, things are as they were.
		taken = m.rate * dt
		m.ahead += taken
	default:
		spare := max(0, float64(m.clock.cpus)-available)
		slack := m.clock.slack()
		if spare > 0 {
			// Others are mostly below their part, so the allowance for jitter is always
			// there, and delays more than jitter: a tick of each CPU must be enough.
			slack = perTick * float64(m.clock.cpus)
		}
		m.all.over -= m.ahead
		taken = m.all.taken(own, delta, spare*span, slack)
		m.rate, m.ahead = max(0, m.ahead+taken+m.all.over)/span, 0
	}
	for i := range m.levels {
		q := &m.levels[i]
		if math.IsInf(q.cpus, 1) {
			*q = quota{cpus: q.cpus}
			continue
		}
		if !q.primed {
			q.own = own
		}
		if delta, ok := q.read(m.host, &m.host.cpuLevels[i], dt); ok {
			taken = max(taken, q.taken(own, delta, max(0, q.cpus-available)*dt, lag*q.cpus))
		}
	}
	m.own = max(m.own, own)
	m.others += taken
	return m.own + m.others
}

// lag is how far a cgroup's usage may trail getrusage per CPU, s: the time of a
// running thread is added at the timer tick, 10 ms at most.
const lag = 0.01
