package sense_test

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/sense"
)

func TestPIDsLimit(t *testing.T) {
	h := newFakeHost(t, with(containerV2, "/sys/fs/cgroup/pids.max", "160\n", "/sys/fs/cgroup/pids.current", "100\n"))
	p := h.process()
	// 150 without the spare, 50 left: half as many again, or two threads each.
	if s := p.Sense(16); s.Ceiling != 16+25 || !strings.Contains(s.Why, "pids.max") {
		t.Errorf("ceiling %d (%s), want 41", s.Ceiling, s.Why)
	}
	h.write("/sys/fs/cgroup/pids.current", "155\n")
	h.now += time.Second
	for range 10 {
		p.Sense(16)
	}
	if s := p.Sense(16); s.Ceiling != 16 {
		t.Errorf("ceiling %d at the limit, want 16", s.Ceiling)
	}
	h.write("/sys/fs/cgroup/pids.max", "max\n")
	h.now += time.Second
	for range 10 {
		p.Sense(16)
	}
	if s := p.Sense(16); s.Ceiling != 0 {
		t.Errorf("ceiling %d (%s) without a limit", s.Ceiling, s.Why)
	}
}

// TestGroupUnreadable: that /proc/self/cgroup cannot be opened, as where files have run out,
// does not say that we are in no group.
func TestGroupUnreadable(t *testing.T) {
	procs(t, 2)
	h := newFakeHost(t, with(containerV2, "/sys/fs/cgroup/pids.max", "160\n", "/sys/fs/cgroup/pids.current", "100\n"))
	p := h.process()
	p.Sense(16)
	for _, there := range []bool{false, true} {
		if there {
			h.write("/proc/self/cgroup", containerV2["/proc/self/cgroup"])
		} else {
			h.remove("/proc/self/cgroup")
		}
		h.now += 15 * time.Second
		if s := p.Sense(16); s.CPUs != 1.5 || s.Ceiling != 16+25 || !strings.Contains(s.Why, "pids.max") {
			t.Errorf("%v CPUs, ceiling %d (%s), want 1.5 and 41 as before; the file is there: %v", s.CPUs, s.Ceiling, s.Why, there)
		}
	}
}

// TestFilesLimit lowers the soft limit of this very process for a moment.
func TestFilesLimit(t *testing.T) {
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &old); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip(err)
	}
	open := len(entries) - 1 // less the one that listed them
	for name, f := range map[string]sense.Resource{"told": sense.NewFiles(), "counted": sense.NewFilesCounted()} {
		if got := f.Look(time.Hour, 4, 4); old.Cur > 1000 && got != 0 {
			t.Errorf("%s: ceiling %d under a limit of %d", name, got, old.Cur)
		}
		low := syscall.Rlimit{Cur: uint64(open + 40), Max: old.Max}
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &low); err != nil {
			t.Fatal(err)
		}
		got := f.Look(2*time.Hour, 4, 4)
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &old); err != nil {
			t.Fatal(err)
		}
		if got < 4 || got > 4+40 || got == 0 {
			t.Errorf("%s: ceiling %d with room for some 40 files, want one from 4 to 44", name, got)
		}
	}
}

func TestNprocLimit(t *testing.T) {
	h := newFakeHost(t, map[string]string{"/proc/loadavg": "0.20 0.18 0.12 1/800 11206\n"})
	const user = 1000
	for i := range 100 { // 60 threads of the user, many of others
		uid, threads := user, 2
		if i >= 30 {
			uid, threads = 0, 10
		}
		h.write(fmt.Sprintf("/proc/%d/status", 100+i), fmt.Sprintf("Name:\tx\nUid:\t%d\t%d\t%d\t%d\nThreads:\t%d\n", uid, uid, uid, uid, threads))
	}
	if got := sense.NewNproc(h.root, 0, 10).Look(h.now, 8, 8); got != 0 {
		t.Errorf("root: ceiling %d, want none", got)
	}
	if got := sense.NewNproc(h.root, user, 1<<20).Look(h.now, 8, 8); got != 0 {
		t.Errorf("a high limit: ceiling %d, want none", got)
	}
	settle := func(limit uint64) (got int) {
		n := sense.NewNproc(h.root, user, limit)
		for range 20 {
			h.now += 100 * time.Millisecond
			got = n.Look(h.now, 8, 8)
			if got > 0 && got < 8 {
				t.Fatalf("limit %d: ceiling %d below the crowd", limit, got)
			}
		}
		return got
	}
	// The machine's threads exceed 500, but the user has only 60 of them.
	if got := settle(500); got != 0 {
		t.Errorf("limit 500: ceiling %d, want none once the user's are counted", got)
	}
	if got, want := settle(128), 8+15; got != want { // 120 without the spare, 60 left, four each
		t.Errorf("limit 128: ceiling %d, want %d", got, want)
	}
	if got := settle(64); got != 8 {
		t.Errorf("limit 64: ceiling %d, want 8", got)
	}
}

func TestJobMemory(t *testing.T) {
	const gib = 1 << 20 // KiB
	h := newFakeHost(t, map[string]string{"/proc/meminfo": meminfoFile(16*gib, 8*gib)})
	c := h.children()
	c.SetParent(1)
	page := os.Getpagesize()
	for i := range 4 { // a GiB each
		h.put(100+i, 1, 0, "")
		h.write(fmt.Sprintf("/proc/%d/stat", 100+i), procStat(100+i, 1, 0, 0, 0, 0, 1, 1<<30/page))
		c.Started(100 + i)
	}
	if s := c.Sense(4); s.Ceiling != 5 {
		t.Errorf("ceiling %d (%s) while each may need 2 GiB, want 5", s.Ceiling, s.Why)
	}
	settle := func() (s sense.Sample) {
		for range 20 {
			h.now += 100 * time.Millisecond
			s = c.Sense(4)
		}
		return s
	}
	if s := settle(); s.Ceiling != 4+3 || !strings.Contains(s.Why, "memory") { // 7.5 GiB beyond the margin; each may come to hold 1.5
		t.Errorf("ceiling %d (%s), want 7", s.Ceiling, s.Why)
	}
	h.write("/proc/meminfo", meminfoFile(16*gib, gib/4))
	if s := settle(); s.Ceiling != 4 {
		t.Errorf("ceiling %d (%s) with the margin touched, want 4", s.Ceiling, s.Why)
	}
	h.write("/proc/meminfo", meminfoFile(16*gib, gib/8))
	if s := settle(); s.Ceiling != 3 {
		t.Errorf("ceiling %d (%s) with half of it gone, want 3", s.Ceiling, s.Why)
	}
	h.write("/proc/meminfo", meminfoFile(256*gib, 250*gib))
	if s := settle(); s.Ceiling != 0 {
		t.Errorf("ceiling %d (%s) with plenty", s.Ceiling, s.Why)
	}
	// Where each start is asked about, only memory that runs out is a ceiling.
	h.write("/proc/meminfo", meminfoFile(16*gib, 8*gib))
	settle()
	if ok, why := c.Admits(0); !ok {
		t.Errorf("a job is not admitted: %s", why)
	}
	if s := settle(); s.Ceiling != 0 {
		t.Errorf("ceiling %d (%s) beside the admission", s.Ceiling, s.Why)
	}
	h.write("/proc/meminfo", meminfoFile(16*gib, gib/8))
	if s := settle(); s.Ceiling != 3 {
		t.Errorf("ceiling %d (%s) beside the admission, want 3 with half of the margin gone", s.Ceiling, s.Why)
	}
}

// What starts is counted in each answer, and in those that a look serves for a while.
func TestAdmitsCountsThoseThatStart(t *testing.T) {
	const gib = 1 << 20 // KiB
	h := newFakeHost(t, map[string]string{"/proc/meminfo": meminfoFile(64*gib, 32*gib)})
	c := h.children() // 31.5 GiB beyond the margin, 2 GiB each: 15
	for range 2 {
		if ok, _ := c.Admits(15); ok {
			t.Fatal("a 16th is admitted, and 15 fit")
		}
	}
	h.now += time.Second
	n := 0
	for ok := true; ok && n < 100; {
		if ok, _ = c.Admits(n); ok {
			n++
		}
	}
	if n != 15 {
		t.Errorf("%d are admitted, and 15 fit", n)
	}
}

func FuzzNames(f *testing.F) {
	f.Add([]byte("\x01\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x18\x00\x0442\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		total := 0
		for name := range sense.Names(b) {
			total += len(name)
			if len(name) == 0 || name[0] == '.' {
				t.Errorf("name %q", name)
			}
		}
		if total > len(b) {
			t.Errorf("%d bytes of names in %d", total, len(b))
		}
	})
}
