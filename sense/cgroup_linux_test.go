package sense_test

import (
	"fmt"
	"maps"
	"math"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/sense"
)

// cpuStat is cpu.stat of a v2 group.
func cpuStat(usage int) string {
	return fmt.Sprintf("usage_usec %d\nuser_usec %d\nsystem_usec 0\nnr_periods 10\nnr_throttled 2\nthrottled_usec 5\n", usage, usage)
}

func TestQuotaV2(t *testing.T) {
	procs(t, 2)
	h := newFakeHost(t, containerV2)
	p := h.process()
	first := p.Sense(1)
	if first.CPUs != 1.5 {
		t.Errorf("CPUs = %v, want 1.5", first.CPUs)
	}
	h.now += time.Second
	h.own = 0.2
	h.write("/sys/fs/cgroup/cpu.stat", cpuStat(10_700_000))
	if got := p.Sense(1).MachineCPU - first.MachineCPU; math.Abs(got-0.7) > 1e-9 {
		t.Errorf("the group used %v, want 0.7", got)
	}
	// The quota is changed while we run.
	h.write("/sys/fs/cgroup/cpu.max", "50000 100000\n")
	h.now += 2 * time.Second
	if got := p.Sense(1).CPUs; got != 0.5 {
		t.Errorf("CPUs = %v after the quota fell, want 0.5", got)
	}
	h.write("/sys/fs/cgroup/cpu.max", "max 100000\n")
	h.now += 2 * time.Second
	before := p.Sense(1)
	if before.CPUs < 2 {
		t.Errorf("CPUs = %v without a quota", before.CPUs)
	}
	h.now += 100 * time.Millisecond
	if s := p.Sense(1); s.MachineCPU < before.MachineCPU || s.MachineCPU > before.MachineCPU+8*0.1+0.1 {
		t.Errorf("MachineCPU went from %v to %v when its source changed", before.MachineCPU, s.MachineCPU)
	}
}

// TestQuotaOnAncestor has the quota on the pod, not on the container.
func TestQuotaOnAncestor(t *testing.T) {
	procs(t, 2)
	h := newFakeHost(t, map[string]string{
		"/proc/self/cgroup":    "0::/kube.slice/pod7.slice/c1.scope\n",
		"/proc/self/mountinfo": "35 24 0:30 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n",
		"/proc/stat":           statFile(8, 0),
		"/sys/fs/cgroup/kube.slice/pod7.slice/c1.scope/cpu.max":  "max 100000\n",
		"/sys/fs/cgroup/kube.slice/pod7.slice/c1.scope/cpu.stat": cpuStat(1_000_000),
		"/sys/fs/cgroup/kube.slice/pod7.slice/cpu.max":           "125000 100000\n",
		"/sys/fs/cgroup/kube.slice/pod7.slice/cpu.stat":          cpuStat(5_000_000),
		"/sys/fs/cgroup/kube.slice/cpu.max":                      "800000 100000\n",
		"/sys/fs/cgroup/kube.slice/cpu.stat":                     cpuStat(9_000_000),
	})
	p := h.process()
	first := p.Sense(1)
	if first.CPUs != 1.25 {
		t.Errorf("CPUs = %v, want 1.25", first.CPUs)
	}
	h.now += time.Second
	h.write("/sys/fs/cgroup/kube.slice/pod7.slice/cpu.stat", cpuStat(6_250_000))
	if got := p.Sense(1).MachineCPU - first.MachineCPU; math.Abs(got-1.25) > 1e-9 {
		t.Errorf("the pod used %v, want 1.25", got)
	}
}

// TestQuotaV1 is a container under cgroup v1 that sees the host's paths: the
// mount's root is the container's group.
func TestQuotaV1(t *testing.T) {
	procs(t, 2)
	h := newFakeHost(t, map[string]string{
		"/proc/self/cgroup": "4:memory:/docker/abc\n3:cpu,cpuacct:/docker/abc\n1:name=systemd:/docker/abc\n",
		"/proc/self/mountinfo": "41 31 0:31 /docker/abc /sys/fs/cgroup/cpu,cpuacct ro,nosuid - cgroup cgroup rw,cpu,cpuacct\n" +
			"42 31 0:32 /docker/abc /sys/fs/cgroup/memory ro,nosuid - cgroup cgroup rw,memory\n",
		"/proc/stat": statFile(8, 0),
		"/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us":  "175000\n",
		"/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000\n",
		"/sys/fs/cgroup/cpu,cpuacct/cpuacct.usage":     "3000000000\n",
	})
	p := h.process()
	first := p.Sense(1)
	if first.CPUs != 1.75 {
		t.Errorf("CPUs = %v, want 1.75", first.CPUs)
	}
	h.now += time.Second
	h.write("/sys/fs/cgroup/cpu,cpuacct/cpuacct.usage", "4500000000\n")
	if got := p.Sense(1).MachineCPU - first.MachineCPU; math.Abs(got-1.5) > 1e-9 {
		t.Errorf("the group used %v, want 1.5", got)
	}
	h.write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n")
	h.now += 2 * time.Second
	if got := p.Sense(1).CPUs; got < 2 {
		t.Errorf("CPUs = %v without a quota", got)
	}
}

// TestQuotaWithoutUsage falls back on the machine.
func TestQuotaWithoutUsage(t *testing.T) {
	procs(t, 2)
	files := maps.Clone(containerV2)
	delete(files, "/sys/fs/cgroup/cpu.stat")
	files["/sys/fs/cgroup/memory.current"] = "1\n"
	h := newFakeHost(t, with(files, "/proc/stat", ticking(8, 0, 800)))
	p := h.process()
	a := p.Sense(1)
	h.now += time.Second
	h.write("/proc/stat", ticking(8, 50, 1600))
	b := p.Sense(1)
	// Others use 7.5 CPUs of 8, which leaves us 0.5 of our 2.
	if got := b.MachineCPU - a.MachineCPU; math.Abs(got-1.5) > 1e-9 {
		t.Errorf("the machine used %v, want 1.5", got)
	}
}

func TestGroupPaths(t *testing.T) {
	got := sense.GroupPaths("12:cpu,cpuacct:/a:b\n0::/user.slice\nbroken\n1:name=systemd:/x\n")
	want := map[string]string{"cpu": "/a:b", "cpuacct": "/a:b", "": "/user.slice", "name=systemd": "/x"}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestMountPoints(t *testing.T) {
	got := sense.MountPoints(`30 1 0:1 / / rw - ext4 /dev/sda rw
31 23 0:28 /pod\0401 /mnt/with\040blank rw,relatime shared:1 master:2 - cgroup2 cgroup2 rw
32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu
33 31 0:29 / /elsewhere rw - cgroup cgroup rw,cpu
broken line
`)
	want := map[string][2]string{
		"":    {"/mnt/with blank", "/pod 1"},
		"rw":  {"/sys/fs/cgroup/cpu", "/"},
		"cpu": {"/sys/fs/cgroup/cpu", "/"},
	}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func FuzzCgroupFiles(f *testing.F) {
	f.Add("0::/\n", "512 511 0:26 / /sys/fs/cgroup ro - cgroup2 cgroup rw\n")
	f.Fuzz(func(t *testing.T, groups, mounts string) {
		sense.GroupPaths(groups)
		for controller, m := range sense.MountPoints(mounts) {
			if m[0] == "" {
				t.Errorf("controller %q has no mount point", controller)
			}
		}
	})
}
