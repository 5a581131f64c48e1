package sense

import (
	"os"
	"time"
)

// room is how much memory is left before the kernel kills a process: the least
// of MemAvailable and of what the limits of our cgroups leave.
type room struct {
	free   float64 // bytes beyond the margin; negative when the margin is touched
	margin float64 // bytes
	total  float64 // bytes that the tightest of them has in all
	group  bool    // it is a cgroup's limit, not the machine
	ok     bool
}

// The margin is what must stay free: 1/16, at least 32 MiB (a shell and a
// system call's worth of page tables must always fit) and at most 512 MiB (what
// a few busy cores can touch between two looks; more would idle large machines
// that a database fills to 95 % on purpose).
const (
	marginPart = 1.0 / 16
	marginMin  = 32 << 20
	marginMax  = 512 << 20
)

func roomOf(available, total float64, group bool) room {
	margin := min(max(total*marginPart, marginMin), marginMax)
	return room{free: available - margin, margin: margin, total: total, group: group, ok: true}
}

func (r room) available() float64 { return r.free + r.margin }

func (r room) why() string {
	if r.group {
		return "memory: little left under the cgroup's limit"
	}
	return "memory: little left on this machine"
}

// A memoryLevel is one level of the cgroup tree that accounts memory.
type memoryLevel struct {
	max, high   file // v1: limit_in_bytes only; high is where the kernel begins to throttle
	usage, stat file
	cache       []string // keys in stat of what the kernel drops before it kills, which differ between v1 and v2
}

var (
	cacheV1 = []string{"total_inactive_file ", "total_active_file "}
	cacheV2 = []string{"inactive_file ", "active_file ", "slab_reclaimable "}
)

// openMemoryLevels opens the memory files of every level of g.
func (h *host) openMemoryLevels(g cgroup) (all []memoryLevel) {
	for _, dir := range g.memory {
		var l memoryLevel
		if g.memoryV2 {
			l.max, l.usage, l.cache = h.open(dir+"/memory.max"), h.open(dir+"/memory.current"), cacheV2
		} else {
			l.max, l.usage, l.cache = h.open(dir+"/memory.limit_in_bytes"), h.open(dir+"/memory.usage_in_bytes"), cacheV1
		}
		if l.max.ok() && l.usage.ok() {
			l.high, l.stat = h.open(dir+"/memory.high"), h.open(dir+"/memory.stat")
			all = append(all, l)
		}
	}
	return all
}

// room returns what the level has left, given the machine's memory; not ok
// without a limit. File cache counts as free, as it does in MemAvailable: the
// kernel drops it before it kills. Whether it should rather stay shows in the
// pressure.
func (l *memoryLevel) room(h *host, machine float64) room {
	limit, ok := h.number(l.max) // "max" does not parse
	if high, some := h.number(l.high); some && (!ok || high < limit) {
		limit, ok = high, true
	}
	if !ok || machine > 0 && float64(limit) >= machine {
		return room{} // no limit; v1 writes a number beyond all memory
	}
	used, ok := h.number(l.usage)
	if !ok {
		return room{}
	}
	available := float64(limit) - float64(used)
	if available < float64(limit)/2 { // the file is long: only when it can matter
		b := h.read(l.stat)
		for _, key := range l.cache {
			bytes, _ := value(b, key)
			available += float64(bytes)
		}
	}
	return roomOf(min(available, float64(limit)), float64(limit), true)
}

// room returns the tightest room. It is not ok where nothing can be read.
func (h *host) room() room {
	return h.tightest(func(r room) float64 { return r.free })
}

// tightest returns the room that leaves least. Margins differ, so the tightest with margins
// may differ from the one without.
func (h *host) tightest(leaves func(room) float64) room {
	tight := h.machineRoom()
	total := tight.total
	for i := range h.memoryLevels {
		if r := h.memoryLevels[i].room(h, total); r.ok && (!tight.ok || leaves(r) < leaves(tight)) {
			tight = r
		}
	}
	return tight
}

func (h *host) machineRoom() room {
	b := h.read(h.meminfo)
	total, ok1 := value(b, "MemTotal:")
	available, ok2 := value(b, "MemAvailable:")
	if !ok1 || !ok2 {
		return room{}
	}
	return roomOf(float64(available)*1024, float64(total)*1024, false)
}

// held returns the bytes of this process that no reclaim can take: resident
// less shared pages.
func (h *host) held() float64 {
	b := h.read(h.statm)
	_, b, _ = number(b)
	resident, b, _ := number(b)
	shared, _, ok := number(b)
	if !ok || shared > resident {
		return 0
	}
	return float64(resident-shared) * float64(os.Getpagesize())
}

// A memoryGauge reads the room and what this process holds.
type memoryGauge struct {
	host *host
	room room
	held float64
}

func (g *memoryGauge) read(time.Duration) bool {
	g.room = g.host.room()
	if g.room.ok {
		g.held = g.host.held()
	}
	return true
}

func (g *memoryGauge) why() string { return g.room.why() }

// look judges the room for the units of this process.
func (g *memoryGauge) look(b *bound, _ time.Duration, peak, inFlight int) {
	switch {
	case !g.room.ok:
		b.free()
	case g.room.free < -g.room.margin/2 && g.held > g.room.margin/2:
		// Below half of the margin the kernel is about to kill. Fewer units help
		// only where what we hold is worth the margin.
		b.cut(peak, inFlight)
	default:
		b.pace(peak, g.held, g.room.free, 0)
	}
}
