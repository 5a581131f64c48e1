package sense_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/sense"
)

// psi is a pressure file with these totals, µs.
func psi(full int) string {
	return fmt.Sprintf("some avg10=1.00 avg60=0.00 avg300=0.00 total=%d\nfull avg10=0.50 avg60=0.00 avg300=0.00 total=%d\n", 2*full, full)
}

// step lets the seconds pass in which path's full total grows by so much each.
func step(h *fakeHost, p sense.Sensor, path string, total *int, perSecond, seconds, inFlight int) sense.Sample {
	var s sense.Sample
	for range seconds {
		*total += perSecond
		h.write(path, psi(*total))
		h.now += time.Second
		for range 10 {
			s = p.Sense(inFlight)
		}
	}
	return s
}

func TestGroupPressure(t *testing.T) {
	const path = "/sys/fs/cgroup/memory.pressure"
	h := newFakeHost(t, with(containerV2, path, psi(0)))
	p := h.process()
	p.Sense(16)
	total := 0
	if s := step(h, p, path, &total, 20_000, 3, 16); s.Ceiling != 0 {
		t.Errorf("2 %% stalled: ceiling %d, want none", s.Ceiling)
	}
	if s := step(h, p, path, &total, 150_000, 3, 16); s.Ceiling != 16 || !strings.Contains(s.Why, "pressure") {
		t.Errorf("15 %% stalled: ceiling %d (%s), want 16", s.Ceiling, s.Why)
	}
	if s := step(h, p, path, &total, 500_000, 1, 16); s.Ceiling != 12 {
		t.Errorf("50 %% stalled: ceiling %d, want 12", s.Ceiling)
	}
	if s := step(h, p, path, &total, 70_000, 1, 12); s.Ceiling != 12 {
		t.Errorf("7 %% stalled: ceiling %d, want 12 still", s.Ceiling)
	}
	if s := step(h, p, path, &total, 10_000, 1, 12); s.Ceiling != 0 {
		t.Errorf("1 %% stalled: ceiling %d, want none", s.Ceiling)
	}
}

// TestPressureOfAnotherGroup: what a group lost before we were moved to it is not ours.
func TestPressureOfAnotherGroup(t *testing.T) {
	const group = "/sys/fs/cgroup"
	h := newFakeHost(t, with(containerV2,
		"/proc/self/cgroup", "0::/a\n",
		group+"/a/memory.pressure", psi(0),
		group+"/b/memory.pressure", psi(500_000_000)))
	p := h.process()
	total := 0
	step(h, p, group+"/a/memory.pressure", &total, 0, 3, 16)
	h.write("/proc/self/cgroup", "0::/b\n")
	total = 500_000_000
	for range 15 {
		if s := step(h, p, group+"/b/memory.pressure", &total, 0, 1, 16); s.Ceiling != 0 {
			t.Fatalf("ceiling %d (%s), but nothing is lost in either group", s.Ceiling, s.Why)
		}
	}
	if s := step(h, p, group+"/b/memory.pressure", &total, 500_000, 2, 16); s.Ceiling != 12 {
		t.Errorf("50 %% stalled in the second group: ceiling %d (%s), want 12", s.Ceiling, s.Why)
	}
}

// TestMachinePressure counts only while the machine itself is short: a
// neighbour that thrashes within its own limit is not our business.
func TestMachinePressure(t *testing.T) {
	const path = "/proc/pressure/memory"
	h := newFakeHost(t, map[string]string{path: psi(0), "/proc/meminfo": meminfoFile(16<<20, 12<<20), "/proc/self/statm": statm(1 << 20)})
	p := h.process()
	p.Sense(16)
	total := 0
	if s := step(h, p, path, &total, 900_000, 3, 16); s.Ceiling != 0 {
		t.Errorf("ceiling %d (%s) for a neighbour's pressure", s.Ceiling, s.Why)
	}
	h.write("/proc/meminfo", meminfoFile(16<<20, 2<<20))
	if s := step(h, p, path, &total, 200_000, 2, 16); s.Ceiling != 16 || !strings.Contains(s.Why, "pressure") {
		t.Errorf("ceiling %d (%s) on a machine short of memory, want 16", s.Ceiling, s.Why)
	}
	// The file says nothing any more.
	h.write(path, "")
	h.now += 2 * time.Second
	for range 10 {
		p.Sense(16)
	}
	if s := p.Sense(16); s.Ceiling != 0 {
		t.Errorf("ceiling %d (%s) from an empty file", s.Ceiling, s.Why)
	}
}

func FuzzStalled(f *testing.F) {
	f.Add([]byte(psi(17)))
	f.Add([]byte("full total="))
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, ok := sense.Stalled(b); ok && !strings.Contains(string(b), "total=") {
			t.Errorf("a total in %q", b)
		}
	})
}
