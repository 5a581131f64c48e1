package sense_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/sense"
)

// A fakeHost is a machine of files, with a clock and own CPU time to set.
type fakeHost struct {
	t    *testing.T
	root string
	now  time.Duration
	own  float64
	mask []int // the CPUs that we may use; none: unknown
}

// newFakeHost returns a host with the files given by path and content.
func newFakeHost(t *testing.T, files map[string]string) *fakeHost {
	h := &fakeHost{t: t, root: t.TempDir(), now: time.Hour}
	for path, content := range files {
		h.write(path, content)
	}
	return h
}

// write puts content into a file, in place, as the kernel would show it.
func (h *fakeHost) write(path, content string) {
	h.t.Helper()
	name := filepath.Join(h.root, path)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		h.t.Fatal(err)
	}
}

func (h *fakeHost) remove(path string) {
	h.t.Helper()
	if err := os.RemoveAll(filepath.Join(h.root, path)); err != nil {
		h.t.Fatal(err)
	}
}

func (h *fakeHost) process() *sense.Process {
	return sense.NewProcessMasked(h.root, func() time.Duration { return h.now }, func() float64 { return h.own }, h.mask)
}

func (h *fakeHost) children() *sense.Children {
	return sense.NewChildrenAt(h.root, func() time.Duration { return h.now }, func() float64 { return h.own })
}

// Recorded in a container under cgroup v2 with a namespace of its own.
var containerV2 = map[string]string{
	"/proc/self/cgroup":             "0::/\n",
	"/proc/self/mountinfo":          "512 511 0:26 / /sys/fs/cgroup ro,nosuid,nodev,noexec,relatime - cgroup2 cgroup rw,nsdelegate,memory_recursiveprot\n",
	"/proc/stat":                    statFile(8, 0),
	"/proc/meminfo":                 meminfoFile(32<<20, 24<<20),
	"/proc/loadavg":                 "0.20 0.18 0.12 3/480 11206\n",
	"/sys/fs/cgroup/cpu.max":        "150000 100000\n",
	"/sys/fs/cgroup/cpu.stat":       cpuStat(10_000_000),
	"/sys/fs/cgroup/memory.max":     "max\n",
	"/sys/fs/cgroup/memory.high":    "max\n",
	"/sys/fs/cgroup/memory.current": "104857600\n",
	"/sys/fs/cgroup/memory.stat":    memoryStat(10<<20, 20<<20, 5<<20),
	"/sys/fs/cgroup/pids.max":       "max\n",
	"/sys/fs/cgroup/pids.current":   "12\n",
}

// with returns a copy of files with more of them.
func with(files map[string]string, more ...string) map[string]string {
	all := map[string]string{}
	for k, v := range files {
		all[k] = v
	}
	for i := 0; i < len(more); i += 2 {
		all[more[i]] = more[i+1]
	}
	return all
}

// mainWhy reports whether the sample has no ceiling, or one for this reason.
func mainWhy(s sense.Sample, word string) bool {
	return s.Ceiling > 0 && strings.Contains(s.Why, word)
}
