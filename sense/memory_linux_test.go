package sense_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// meminfoFile is /proc/meminfo with these numbers of KiB.
func meminfoFile(total, available int) string {
	return fmt.Sprintf("MemTotal:       %d kB\nMemFree:        1000 kB\nMemAvailable:   %d kB\nBuffers: 10 kB\n", total, available)
}

// memoryStat is memory.stat of a v2 group.
func memoryStat(inactive, active, slab int) string {
	return fmt.Sprintf("anon 1\nfile %d\nkernel 0\ninactive_anon 1\nactive_anon 0\ninactive_file %d\nactive_file %d\nunevictable 0\nslab_reclaimable %d\n",
		inactive+active, inactive, active, slab)
}

// statm is /proc/self/statm of a process that holds so many bytes.
func statm(held int64) string {
	page := int64(os.Getpagesize())
	return fmt.Sprintf("900000 %d 500 400 0 30000 0\n", held/page+500)
}

func TestMachineMemory(t *testing.T) {
	const gib = 1 << 20 // in KiB
	for name, c := range map[string]struct {
		available int   // KiB
		held      int64 // bytes
		want      int
	}{
		"plenty":                                 {12 * gib, 1 << 30, 0},
		"room for half as much again":            {5 * gib / 2, 4 << 30, 24}, // 2.5 - 0.5 GiB of margin
		"margin touched":                         {gib / 2, 4 << 30, 16},
		"half of it gone":                        {gib / 8, 4 << 30, 12},
		"half of it gone, but not because of us": {gib / 8, 1 << 20, 16},
	} {
		h := newFakeHost(t, map[string]string{
			"/proc/meminfo":    meminfoFile(16*gib, c.available),
			"/proc/self/statm": statm(c.held),
		})
		s := h.process().Sense(16)
		if s.Ceiling != c.want {
			t.Errorf("%s: ceiling %d (%s), want %d", name, s.Ceiling, s.Why, c.want)
		}
		if c.want > 0 && !strings.Contains(s.Why, "machine") {
			t.Errorf("%s: why %q", name, s.Why)
		}
	}
}

func TestCgroupMemoryV2(t *testing.T) {
	const mib = 1 << 20
	h := newFakeHost(t, with(containerV2,
		"/proc/self/statm", statm(300*mib),
		"/sys/fs/cgroup/memory.max", fmt.Sprint(512*mib),
		"/sys/fs/cgroup/memory.current", fmt.Sprint(500*mib),
		// Nearly all of it is file cache, which goes before anybody dies.
		"/sys/fs/cgroup/memory.stat", memoryStat(300*mib, 150*mib, 0)))
	p := h.process()
	if s := p.Sense(8); s.Ceiling != 0 && s.Ceiling <= 8 {
		t.Errorf("ceiling %d (%s) for file cache", s.Ceiling, s.Why)
	}
	h.write("/sys/fs/cgroup/memory.stat", memoryStat(5*mib, 5*mib, 0))
	h.now += time.Second
	for range 10 { // one resource a call
		p.Sense(8)
	}
	if s := p.Sense(8); s.Ceiling != 8 || !mainWhy(s, "cgroup") {
		t.Errorf("ceiling %d (%s), want 8 for the cgroup", s.Ceiling, s.Why)
	}
	// memory.high counts too, and is lower.
	h.write("/sys/fs/cgroup/memory.current", fmt.Sprint(300*mib))
	h.write("/sys/fs/cgroup/memory.high", fmt.Sprint(300*mib))
	h.now += time.Second
	for range 10 {
		p.Sense(8)
	}
	if s := p.Sense(8); s.Ceiling == 0 || s.Ceiling > 8 {
		t.Errorf("ceiling %d at memory.high, want 8 or less", s.Ceiling)
	}
	h.write("/sys/fs/cgroup/memory.current", fmt.Sprint(30*mib))
	h.write("/proc/self/statm", statm(20*mib))
	h.now += time.Second
	for range 10 {
		p.Sense(8)
	}
	if s := p.Sense(8); s.Ceiling != 0 {
		t.Errorf("ceiling %d (%s) with memory free again", s.Ceiling, s.Why)
	}
}

func TestCgroupMemoryV1(t *testing.T) {
	const mib = 1 << 20
	h := newFakeHost(t, map[string]string{
		"/proc/meminfo":        meminfoFile(16<<20, 12<<20),
		"/proc/self/statm":     statm(200 * mib),
		"/proc/self/cgroup":    "4:memory:/job/1\n",
		"/proc/self/mountinfo": "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n",
		"/sys/fs/cgroup/memory/job/1/memory.limit_in_bytes": "9223372036854771712\n",
		"/sys/fs/cgroup/memory/job/1/memory.usage_in_bytes": fmt.Sprint(255 * mib),
		"/sys/fs/cgroup/memory/job/1/memory.stat":           "cache 0\ninactive_file 0\ntotal_inactive_file 0\ntotal_active_file 0\n",
		"/sys/fs/cgroup/memory/job/memory.limit_in_bytes":   "9223372036854771712\n",
		"/sys/fs/cgroup/memory/job/memory.usage_in_bytes":   fmt.Sprint(255 * mib),
	})
	p := h.process()
	if s := p.Sense(4); s.Ceiling != 0 {
		t.Errorf("ceiling %d (%s) without a limit", s.Ceiling, s.Why)
	}
	// The limit stands on the parent.
	h.write("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", fmt.Sprint(256*mib))
	h.now += time.Second
	for range 10 {
		p.Sense(4)
	}
	if s := p.Sense(4); s.Ceiling == 0 || s.Ceiling > 4 || !mainWhy(s, "cgroup") {
		t.Errorf("ceiling %d (%s), want 4 or less for the cgroup", s.Ceiling, s.Why)
	}
}

func TestNoMemoryFiles(t *testing.T) {
	h := newFakeHost(t, map[string]string{"/proc/meminfo": "MemTotal: 5 kB\nMemFree: 1 kB\n"})
	if s := h.process().Sense(4); s.Ceiling != 0 {
		t.Errorf("ceiling %d (%s) where nothing is known", s.Ceiling, s.Why)
	}
}
