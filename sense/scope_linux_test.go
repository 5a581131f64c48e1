package sense_test

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/sense"
)

// A busyHost is a fakeHost on which time passes in steps of 20 ms, with CPUs that are
// used at constant rates.
type busyHost struct {
	*fakeHost
	used  []float64 // share of each CPU that is used
	own   float64   // CPUs that we use
	ticks int

	level     string  // a cgroup directory with a cpu.stat
	group     float64 // CPUs that all in it use
	throttled float64 // CPU seconds a second that it is throttled
}

func (h *busyHost) pass(p sense.Sensor, d time.Duration) sense.Sample {
	var s sense.Sample
	for range d / (20 * time.Millisecond) {
		h.ticks += 2
		h.now += 20 * time.Millisecond
		h.fakeHost.own += 0.02 * h.own
		h.show()
		s = p.Sense(1)
	}
	return s
}

// show writes the files.
func (h *busyHost) show() {
	var lines strings.Builder
	idle := 0
	for i, used := range h.used {
		n := int(math.Round((1 - used) * float64(h.ticks)))
		idle += n
		fmt.Fprintf(&lines, "cpu%d %d 0 0 %d 0 0 0 0 0 0\n", i, h.ticks-n, n)
	}
	h.write("/proc/stat", fmt.Sprintf("cpu  %d 0 0 %d 0 0 0 0 0 0\n%sintr 1 2 3\n", len(h.used)*h.ticks-idle, idle, &lines))
	if h.level != "" {
		t := 0.01 * float64(h.ticks)
		h.write(h.level+"/cpu.stat", fmt.Sprintf("usage_usec %.0f\nnr_throttled 3\nthrottled_usec %.0f\n", 1e6*t*h.group, 1e6*t*h.throttled))
	}
}

// cpus returns n CPUs of which the first ones make up used.
func cpus(n int, used float64) []float64 {
	all := make([]float64, n)
	for i := range all {
		all[i] = min(1, max(0, used-float64(i)))
	}
	return all
}

// procs sets GOMAXPROCS for one test.
func procs(t *testing.T, n int) {
	before := runtime.GOMAXPROCS(n)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
}

// quota is a container with a quota of so many CPUs, on a host whose files it sees.
func quota(cpus float64) map[string]string {
	return with(containerV2, "/sys/fs/cgroup/cpu.max", fmt.Sprintf("%.0f 100000\n", 100_000*cpus))
}

// TestScopes: what CPUs and MachineCPU leave is what we could still get, whatever
// bounds us and whichever process uses the rest.
func TestScopes(t *testing.T) {
	const root = "/sys/fs/cgroup"
	for name, c := range map[string]struct {
		files map[string]string
		procs int
		host  busyHost
		cpus  float64
		idle  float64 // CPUs that we could still get
	}{
		"no bound, others use 1.5 of 4":                   {nil, 4, busyHost{used: cpus(4, 2), own: 0.5}, 4, 2},
		"GOMAXPROCS 4 of 64, others use 4":                {nil, 4, busyHost{used: cpus(64, 5), own: 1}, 4, 3},
		"GOMAXPROCS 4 of 64, others use 60":               {nil, 4, busyHost{used: cpus(64, 61), own: 1}, 4, 3},
		"GOMAXPROCS 4 of 64, others use 62":               {nil, 4, busyHost{used: cpus(64, 63), own: 1}, 4, 1},
		"GOMAXPROCS 4 of 64, others use 63":               {nil, 4, busyHost{used: cpus(64, 64), own: 1}, 4, 0},
		"a quota of our own":                              {quota(1.5), 2, busyHost{used: cpus(8, 1), own: 0.5, level: root, group: 0.5}, 1.5, 1},
		"a quota shared":                                  {quota(1.5), 2, busyHost{used: cpus(8, 1), own: 0.5, level: root, group: 1}, 1.5, 0.5},
		"a quota of 8, GOMAXPROCS 4, siblings use 3":      {quota(8), 4, busyHost{used: cpus(16, 4), own: 1, level: root, group: 4}, 4, 3},
		"a quota of 8, GOMAXPROCS 4, siblings use 6":      {quota(8), 4, busyHost{used: cpus(16, 7), own: 1, level: root, group: 7}, 4, 1},
		"a quota of 4, a host that others fill":           {quota(4), 4, busyHost{used: cpus(8, 8), own: 1, level: root, group: 1}, 4, 0},
		"a quota of 4, a host that others fill but for 2": {quota(4), 4, busyHost{used: cpus(8, 6), own: 1, level: root, group: 1}, 4, 2},
		"throttled half as much as idle":                  {quota(1.5), 2, busyHost{used: cpus(8, 1), own: 0.5, level: root, group: 0.5, throttled: 0.5}, 1.5, 0.5},
		"throttled more than idle":                        {quota(1.5), 2, busyHost{used: cpus(8, 1), own: 0.5, level: root, group: 0.5, throttled: 7}, 1.5, 0},
		"a fraction of a CPU":                             {quota(0.5), 1, busyHost{used: cpus(8, 1), own: 0.25, level: root, group: 0.25}, 0.5, 0.25},
		"a pod that is full, a container that is not": {with(containerV2,
			"/proc/self/cgroup", "0::/pod/c1\n",
			root+"/cpu.max", "max 100000\n",
			root+"/pod/cpu.max", "800000 100000\n",
			root+"/pod/c1/cpu.max", "400000 100000\n", root+"/pod/c1/cpu.stat", cpuStat(0)),
			8, busyHost{used: cpus(16, 8), own: 1, level: root + "/pod", group: 8}, 4, 0},
	} {
		t.Run(name, func(t *testing.T) {
			procs(t, c.procs)
			h := c.host
			h.fakeHost = newFakeHost(t, c.files)
			h.show()
			p := h.process()
			a := h.pass(p, time.Second)
			b := h.pass(p, time.Second)
			used := b.MachineCPU - a.MachineCPU
			if b.CPUs != c.cpus || math.Abs(b.CPUs-used-c.idle) > 0.05 {
				t.Errorf("%v CPUs of which %.2f are idle, want %v and %v", b.CPUs, b.CPUs-used, c.cpus, c.idle)
			}
		})
	}
}

// TestAffinityMask: only what others do on the CPUs that we may use counts.
func TestAffinityMask(t *testing.T) {
	procs(t, 4)
	h := busyHost{own: 0.5, used: []float64{1, 1, 0.75, 0.75, 1, 1, 1, 1, 1, 1, 1, 1}}
	h.fakeHost = newFakeHost(t, nil)
	h.mask = []int{2, 3, 11}
	h.show()
	p := h.process()
	idle := func() float64 {
		a := h.pass(p, time.Second)
		b := h.pass(p, time.Second)
		return b.CPUs - (b.MachineCPU - a.MachineCPU)
	}
	if got := idle(); math.Abs(got-0.5) > 0.05 {
		t.Errorf("%.2f CPUs idle, want 0.5: a quarter of two", got)
	}
	h.mask = []int{2, 3} // taskset -p
	if got := idle(); math.Abs(got-0.5) > 0.05 {
		t.Errorf("%.2f CPUs idle without the full one, want 0.5", got)
	}
	h.mask = []int{100, 103, 104, 111, 112, 113, 115, 116, 120, 121, 122, 123} // /proc/stat is virtual
	if got, want := idle(), 0.5; math.Abs(got-want) > 0.05 {
		t.Errorf("%.2f CPUs idle of those in a virtual /proc/stat, want %v", got, want)
	}
}

// TestThrottledV1: the files of cgroup v1 say it in another place.
func TestThrottledV1(t *testing.T) {
	procs(t, 2)
	const cpu, acct = "/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpuacct"
	h := newFakeHost(t, map[string]string{
		"/proc/self/cgroup": "4:cpuacct:/\n3:cpu:/\n",
		"/proc/self/mountinfo": "41 31 0:31 / " + cpu + " ro - cgroup cgroup rw,cpu\n" +
			"42 31 0:32 / " + acct + " ro - cgroup cgroup rw,cpuacct\n",
		cpu + "/cpu.cfs_quota_us":  "150000\n",
		cpu + "/cpu.cfs_period_us": "100000\n",
		acct + "/cpuacct.usage":    "0\n",
		cpu + "/cpu.stat":          "nr_periods 0\nnr_throttled 0\nthrottled_time 0\n",
	})
	p := h.process()
	first := p.Sense(1)
	var s sense.Sample
	for i := 1; i <= 10; i++ {
		h.now += 100 * time.Millisecond
		h.write(acct+"/cpuacct.usage", fmt.Sprintln(50_000_000*i)) // a third of the quota
		h.write(cpu+"/cpu.stat", fmt.Sprintf("nr_periods %d\nnr_throttled %d\nthrottled_time %d\n", i, i, 80_000_000*i))
		s = p.Sense(1)
	}
	if got := s.MachineCPU - first.MachineCPU; math.Abs(got-1.3) > 0.02 {
		t.Errorf("%v CPU seconds were not to be had in a second, want 1.3: used 0.5, throttled 0.8", got)
	}
}

// TestOutermostLevel has the only quota ten levels up.
func TestOutermostLevel(t *testing.T) {
	procs(t, 4)
	path := strings.Repeat("/s", 12)
	h := newFakeHost(t, map[string]string{
		"/proc/self/cgroup":    "0::" + path + "\n",
		"/proc/self/mountinfo": "35 24 0:30 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
		"/proc/stat":           statFile(8, 0),
	})
	for d := path; d != ""; d = d[:len(d)-2] {
		h.write("/sys/fs/cgroup"+d+"/cpu.max", "max 100000\n")
		h.write("/sys/fs/cgroup"+d+"/cpu.stat", cpuStat(0))
	}
	h.write("/sys/fs/cgroup/s/cpu.max", "125000 100000\n")
	if got := h.process().Sense(1).CPUs; got != 1.25 {
		t.Errorf("CPUs = %v, want 1.25", got)
	}
}

// TestMovedToAnotherCgroup: an administrator may move a process that runs.
func TestMovedToAnotherCgroup(t *testing.T) {
	procs(t, 4)
	h := newFakeHost(t, map[string]string{
		"/proc/self/cgroup":             "0::/a\n",
		"/proc/self/mountinfo":          "35 24 0:30 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
		"/proc/stat":                    statFile(8, 0),
		"/sys/fs/cgroup/a/cpu.max":      "100000 100000\n",
		"/sys/fs/cgroup/a/cpu.stat":     cpuStat(0),
		"/sys/fs/cgroup/a/pids.max":     "max\n",
		"/sys/fs/cgroup/b/cpu.max":      "200000 100000\n",
		"/sys/fs/cgroup/b/cpu.stat":     cpuStat(7_000_000),
		"/sys/fs/cgroup/b/pids.max":     "160\n",
		"/sys/fs/cgroup/a/pids.current": "100\n",
		"/sys/fs/cgroup/b/pids.current": "100\n",
	})
	p := h.process()
	first := p.Sense(16)
	if first.CPUs != 1 || first.Ceiling != 0 {
		t.Errorf("in the first group %+v, want 1 CPU and no ceiling", first)
	}
	h.write("/proc/self/cgroup", "0::/b\n")
	h.now += 15 * time.Second
	p.Sense(16)
	h.now += 2 * time.Second
	s := p.Sense(16)
	if s.CPUs != 2 || !mainWhy(s, "pids.max") {
		t.Errorf("in the second group %+v, want 2 CPUs and its pids.max", s)
	}
	if used := s.MachineCPU - first.MachineCPU; used > 0.1 {
		t.Errorf("the move itself took %v CPU seconds", used)
	}
}

// TestMovedBesideAnother: two samplers share a host, and either may be the one that
// notices a move.
func TestMovedBesideAnother(t *testing.T) {
	for name, b := range map[string]map[string]string{
		"without a quota": {"/sys/fs/cgroup/b/pids.max": "max\n"},
		"with a quota":    {"/sys/fs/cgroup/b/cpu.max": "200000 100000\n", "/sys/fs/cgroup/b/cpu.stat": cpuStat(7_000_000)},
	} {
		t.Run(name, func(t *testing.T) {
			h := newFakeHost(t, with(b,
				"/proc/self/cgroup", "0::/a\n",
				"/proc/self/mountinfo", "35 24 0:30 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
				"/proc/stat", statFile(8, 0),
				"/sys/fs/cgroup/a/cpu.max", "50000 100000\n",
				"/sys/fs/cgroup/a/cpu.stat", cpuStat(0)))
			p := h.process()
			c := p.Beside()
			p.Sense(1)
			first := c.Sense(1)
			h.write("/proc/self/cgroup", "0::/b\n")
			h.now += 9500 * time.Millisecond
			c.Sense(1)
			h.now += 600 * time.Millisecond
			p.Sense(1) // notices it, while c has just looked at its quota
			s := c.Sense(1)
			if s.CPUs == first.CPUs {
				t.Errorf("%v CPUs, as in the first group", s.CPUs)
			}
			if used := s.MachineCPU - first.MachineCPU; used > 0.1 {
				t.Errorf("the move itself took %v CPU seconds", used)
			}
		})
	}
}

// TestMovedBeforeTheFirstLook: files are opened when a sensor is made, which may be long before it is used.
func TestMovedBeforeTheFirstLook(t *testing.T) {
	procs(t, 4)
	const mib = 1 << 20
	h := newFakeHost(t, map[string]string{
		"/proc/self/cgroup":               "0::/a\n",
		"/proc/self/mountinfo":            "35 24 0:30 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
		"/proc/stat":                      statFile(8, 0),
		"/proc/meminfo":                   meminfoFile(32<<20, 24<<20),
		"/sys/fs/cgroup/a/cpu.max":        "100000 100000\n",
		"/sys/fs/cgroup/a/cpu.stat":       cpuStat(0),
		"/sys/fs/cgroup/a/memory.max":     fmt.Sprint(1000 * mib),
		"/sys/fs/cgroup/a/memory.current": fmt.Sprint(100 * mib),
		"/sys/fs/cgroup/b/cpu.max":        "200000 100000\n",
		"/sys/fs/cgroup/b/cpu.stat":       cpuStat(0),
		"/sys/fs/cgroup/b/memory.max":     fmt.Sprint(2000 * mib),
		"/sys/fs/cgroup/b/memory.current": fmt.Sprint(100 * mib),
	})
	p, free := h.process(), sense.FreeMemoryBelow(h.root)
	h.write("/proc/self/cgroup", "0::/b\n")
	if got := p.Sense(1).CPUs; got != 2 {
		t.Errorf("%v CPUs, want 2 of the second group", got)
	}
	if got, total, _ := free(); got != 1900*mib || total != 2000*mib {
		t.Errorf("%.0f of %.0f MiB are free, want 1900 of 2000 in the second group", got/mib, total/mib)
	}
}
