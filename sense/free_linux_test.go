package sense_test

import (
	"fmt"
	"testing"

	"github.com/sweetspot-go/sweetspot/sense"
)

func TestFreeMemory(t *testing.T) {
	free, total, ok := sense.FreeMemory()
	if !ok || free <= 0 || total < free {
		t.Errorf("%g of %g bytes are free, %v", free, total, ok)
	}
}

// TestFreeMemoryIsTheLeast: a sixteenth of a large machine is more than of a small cgroup, but no
// margin counts here.
func TestFreeMemoryIsTheLeast(t *testing.T) {
	const kib, mib = 1 << 10, 1 << 20
	for name, c := range map[string]struct {
		machine     int // MiB available of 64 GiB
		high        string
		free, total float64
	}{
		"the cgroup leaves less":      {900, "max", 600 * mib, 1024 * mib},
		"the machine leaves less":     {500, "max", 500 * mib, 64 * 1024 * mib},
		"the cgroup is above a limit": {900, fmt.Sprint(400 * mib), 0, 400 * mib},
	} {
		h := newFakeHost(t, with(containerV2,
			"/proc/meminfo", meminfoFile(64*1024*kib, c.machine*kib),
			"/sys/fs/cgroup/memory.max", fmt.Sprint(1024*mib),
			"/sys/fs/cgroup/memory.high", c.high,
			"/sys/fs/cgroup/memory.stat", "",
			"/sys/fs/cgroup/memory.current", fmt.Sprint(424*mib)))
		if free, total, ok := sense.FreeMemoryBelow(h.root)(); !ok || free != c.free || total != c.total {
			t.Errorf("%s: %.0f of %.0f MiB are free, %v; want %.0f of %.0f", name, free/mib, total/mib, ok, c.free/mib, c.total/mib)
		}
	}
}
