package sense_test

import (
	"testing"
	"time"
)

// TestSensorsHaveCeilingsOfTheirOwn: what is left in all is shared, how much each may
// grow depends on its own units.
func TestSensorsHaveCeilingsOfTheirOwn(t *testing.T) {
	const gib = 1 << 20 // in KiB
	h := newFakeHost(t, map[string]string{
		"/proc/meminfo":    meminfoFile(16*gib, 5*gib/2),
		"/proc/self/statm": statm(4 << 30),
	})
	large := h.process()
	small, idle := large.Another(), large.Another()
	for range 3 {
		a, b, c := large.Sense(16), small.Sense(4), idle.Sense(0)
		if a.Ceiling != 24 || b.Ceiling != 6 || c.Ceiling != 2 {
			t.Errorf("ceilings %d, %d and %d, want 24, 6 and 2: half as much again, or one more", a.Ceiling, b.Ceiling, c.Ceiling)
		}
		h.now += time.Second
	}
	// One that comes late, and one that has rested, see what holds now.
	h.write("/proc/meminfo", meminfoFile(16*gib, 12*gib))
	h.write("/proc/self/statm", statm(1<<30))
	h.now += time.Hour
	if a, b := large.Sense(16), large.Another().Sense(4); a.Ceiling != 0 || b.Ceiling != 0 {
		t.Errorf("ceilings %d (%s) and %d (%s) with plenty of room", a.Ceiling, a.Why, b.Ceiling, b.Why)
	}
}
