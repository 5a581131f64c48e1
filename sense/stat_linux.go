package sense

import (
	"bytes"
	"slices"
	"time"
)

// perTick is the length of the kernel's user-visible clock tick: 100 a second
// on every architecture that Go runs on.
const perTick = 0.01

// A machineClock turns the idle columns of /proc/stat into CPU seconds used by
// everybody on the CPUs of our affinity mask: elapsed time on all CPUs less idle and iowait. The busy columns
// would be simpler, but they are sampled by the timer tick and 2 to 10 times
// noisier; the idle columns are exact on kernels that stop the tick when idle.
// Time stolen by a hypervisor counts as used: nobody here can have it.
type machineClock struct {
	host *host

	mask    cpuSet // the CPUs to count, where part is set; else all
	part    bool
	lines   []byte        // room for the lines of all CPUs
	online  int           // CPUs of the machine
	cpus    int           // of those, counted here
	counted time.Duration // when they were
	next    time.Duration // not to be read before
	took    durations     // of the newest readings

	at, checked    time.Duration // of the last reading, and of the last check of plausibility
	idle, total    uint64        // columns at the last reading, ticks
	checkedTotal   uint64        // sum of columns at the last check
	usable, primed bool
}

const (
	// recount: a CPU goes on or off line rarely, and counting them reads the
	// whole list.
	recount = 10 * time.Second
	// share bounds the cost of /proc/stat, which grows with CPUs and interrupts (3 µs
	// here, a millisecond on the largest machines): after a reading that took d the
	// next one waits share*d, so it costs 2 % of one CPU. The least d of some readings
	// in a row counts. On a busy machine a reader now and then waits for its CPU in
	// between, which costs nothing; after 3 ms of that the machine's CPU time would
	// stand still for 150 ms, which looks like idle CPUs.
	share = 50
	// jitter is that of the idle columns per CPU, s: they count in ticks of
	// 10 ms, and a CPU that sleeps may be a few behind.
	jitter = 0.05
)

// allow sets the affinity mask. An empty one is unknown.
func (m *machineClock) allow(mask *cpuSet) {
	if *mask != m.mask {
		m.mask, m.cpus = *mask, 0
	}
}

// used returns the CPU seconds used by everybody in the span, s, since it last returned
// some, and whether that is known; the span is 0 if it is not time to read.
func (m *machineClock) used(now time.Duration, clock func() time.Duration) (used, span float64, ok bool) {
	if now < m.next {
		return 0, 0, m.usable
	}
	if m.cpus == 0 || now-m.counted >= recount {
		m.count(now)
	}
	idle, total, ok := m.times()
	if !ok || total == 0 {
		m.usable, m.primed = false, false
		m.next = now + recount // a file that says nothing is not asked often
		return 0, 0, false
	}
	m.next = now + share*m.took.least(clock()-now)
	if !m.primed {
		m.primed, m.usable = true, true
		m.at, m.idle, m.total = now, idle, total
		m.checked, m.checkedTotal = now, total
		return 0, 0, true
	}
	span = (now - m.at).Seconds()
	elapsed := span * float64(m.cpus)
	used = elapsed - perTick*float64(int64(idle-m.idle))
	if used < -m.slack() || used > elapsed+m.slack() {
		used = 0 // idle jumped: a CPU came or went, or /proc is virtual and changed hosts
	}
	m.at, m.idle, m.total = now, idle, total
	m.check(now)
	return used, span, m.usable
}

// count counts the CPUs. Where /proc/stat lists no more than the mask has, as it does
// where it is virtual, its first line is about ours.
func (m *machineClock) count(now time.Duration) {
	before := m.cpus
	m.online, m.counted = m.countCPUs(), now
	m.cpus, m.part = m.online, false
	if n := m.mask.len(); n > 0 && n < m.online {
		m.cpus, m.part = n, true
		if need := (m.online + 2) * longestLine; len(m.lines) < need {
			m.lines = make([]byte, need)
		}
	}
	if m.cpus != before {
		m.primed = false
	}
}

// longestLine is more than a line of a CPU takes: ten numbers of up to ten digits.
const longestLine = 128

// times returns the ticks that the CPUs spent idle, and in all.
func (m *machineClock) times() (idle, total uint64, ok bool) {
	if !m.part {
		return statTimes(m.host.read(m.host.stat))
	}
	for line := range bytes.Lines(m.host.stat.read(m.lines)) {
		if len(line) < 4 || string(line[:3]) != "cpu" || line[len(line)-1] != '\n' {
			break
		}
		if cpu, columns, isOne := number(line[3:]); isOne && line[3] != ' ' && m.mask.has(cpu) {
			i, t, good := columnTimes(columns)
			idle, total, ok = idle+i, total+t, good
		}
	}
	return idle, total, ok
}

// durations are those of the newest readings of a file.
type durations struct {
	last [4]time.Duration
	next int
}

// least takes the newest one and returns the least of them; 0 until there are as many
// as are kept.
func (d *durations) least(newest time.Duration) time.Duration {
	d.last[d.next] = max(0, newest)
	d.next = (d.next + 1) % len(d.last)
	return slices.Min(d.last[:])
}

// slack is the jitter of the idle columns on all CPUs, s.
func (m *machineClock) slack() float64 { return jitter * float64(m.cpus) }

// check says once a second whether the columns grow at all: some sandboxes
// serve a /proc/stat that stands still, and a machine that is never idle by its
// own account would read as full. Half of the elapsed time is far below what
// any real kernel counts.
func (m *machineClock) check(now time.Duration) {
	span := now - m.checked
	if span < time.Second {
		return
	}
	grown := perTick * float64(int64(m.total-m.checkedTotal))
	m.usable = grown > 0.5*span.Seconds()*float64(m.cpus)
	m.checked, m.checkedTotal = now, m.total
}

// countCPUs counts the lines cpu0, cpu1, ... of /proc/stat: the very CPUs whose
// idle times make up the first line, also where /proc is virtual.
func (m *machineClock) countCPUs() int {
	n := -1 // the first line is of all
	for offset := int64(0); ; {
		b := m.host.stat.readAt(m.host.buf[:], offset)
		end := bytes.LastIndexByte(b, '\n')
		if end < 0 {
			return max(n, 1)
		}
		offset += int64(end + 1)
		for line := range bytes.Lines(b[:end+1]) {
			if len(line) < 5 || string(line[:3]) != "cpu" {
				return max(n, 1)
			}
			n++
		}
	}
}

// statTimes parses the first line of /proc/stat and returns the ticks spent
// idle (idle and iowait) and the sum of its first eight columns; the last two,
// guest and guest_nice, are contained in user and nice.
func statTimes(b []byte) (idle, total uint64, ok bool) {
	b, ok = after(b, "cpu ")
	if !ok {
		return 0, 0, false
	}
	return columnTimes(b)
}

func columnTimes(b []byte) (idle, total uint64, ok bool) {
	for column := range 8 {
		v, rest, ok := number(b)
		if !ok {
			// Kernels before 2.6.11 have no steal column; nothing older matters.
			return idle, total, column > 4
		}
		total += v
		if column == 3 || column == 4 {
			idle += v
		}
		b = rest
	}
	return idle, total, true
}
