package sense_test

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/sense"
)

// statFile is /proc/stat of a machine whose CPUs have been idle for so many
// ticks in all, of 100,000 ticks each.
func statFile(cpus int, idle uint64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "cpu  %d 0 1000 %d 300 0 21 12 0 0\n", uint64(100_000*cpus)-min(idle, uint64(100_000*cpus)), idle)
	for i := range cpus {
		fmt.Fprintf(&b, "cpu%d 848 0 563 58627 9 0 5 6 0 0\n", i)
	}
	b.WriteString("intr 141081 0 0 0\nctxt 293450\nbtime 1795232663\nprocesses 4973\nprocs_running 2\n")
	return b.String()
}

// ticking is statFile with a sum of columns that has grown by so much.
func ticking(cpus int, idle, total uint64) string {
	s := statFile(cpus, 0)
	_, rest, _ := strings.Cut(s, "\n")
	return fmt.Sprintf("cpu  %d 0 0 %d 0 0 0 0 0 0\n", total-idle, idle) + rest
}

func TestMachineCPUFromIdleColumns(t *testing.T) {
	procs(t, 4)
	h := newFakeHost(t, map[string]string{"/proc/stat": ticking(4, 100, 1000)})
	p := h.process()
	first := p.Sense(1)
	h.now += time.Second
	h.own = 0.5
	// Four CPUs, one second: 400 ticks, 250 of them idle.
	h.write("/proc/stat", ticking(4, 350, 1400))
	s := p.Sense(1)
	if got := s.MachineCPU - first.MachineCPU; math.Abs(got-1.5) > 1e-9 {
		t.Errorf("the machine used %v, want 1.5", got)
	}
	h.now += time.Second
	h.own = 4.4 // more than the idle columns leave: they lag
	h.write("/proc/stat", ticking(4, 410, 1800))
	if got := p.Sense(1).MachineCPU - s.MachineCPU; math.Abs(got-3.9) > 1e-9 {
		t.Errorf("the machine used %v, want own 3.9", got)
	}
}

func TestMachineCPUFollowsOwnWhereStatIsNoUse(t *testing.T) {
	for name, stat := range map[string]string{
		"missing":        "",
		"all zero":       "cpu  0 0 0 0 0 0 0 0 0 0\ncpu0 0 0 0 0 0 0 0 0 0 0\n",
		"standing still": statFile(4, 1000),
		"nonsense":       "cpu  what is this\n",
		"cut short":      "cpu  1 2",
	} {
		t.Run(name, func(t *testing.T) {
			h := newFakeHost(t, nil)
			if stat != "" {
				h.write("/proc/stat", stat)
			}
			p := h.process()
			p.Sense(1)
			// The second that shows that nothing moves may be misjudged.
			h.now += 1100 * time.Millisecond
			settled := p.Sense(1)
			for range 20 {
				h.now += 100 * time.Millisecond
				h.own += 0.03
			}
			s := p.Sense(1)
			if own, all := s.OwnCPU-settled.OwnCPU, s.MachineCPU-settled.MachineCPU; math.Abs(own-all) > 1e-9 {
				t.Errorf("own %v, machine %v: want the same", own, all)
			}
		})
	}
}

func TestMachineCPUSurvivesJumps(t *testing.T) {
	h := newFakeHost(t, map[string]string{"/proc/stat": ticking(2, 500_000, 1_000_000)})
	p := h.process()
	before := p.Sense(1)
	for _, idle := range []uint64{900_000, 10, 1 << 40, 0, 500_000} {
		h.now += 100 * time.Millisecond
		h.write("/proc/stat", ticking(2, idle, max(idle, 1_000_000)))
		s := p.Sense(1)
		if d := s.MachineCPU - before.MachineCPU; d < 0 || d > 0.4 {
			t.Errorf("idle %d: the machine's CPU time moved by %v in 0.1 s on 2 CPUs", idle, d)
		}
		before = s
	}
	// And afterwards it counts again.
	idle, total := uint64(500_000), uint64(2_000_000)
	half := func() sense.Sample { // a second in which one of two CPUs is idle
		for range 10 {
			h.now += 100 * time.Millisecond
			idle, total = idle+10, total+20
			h.write("/proc/stat", ticking(2, idle, total))
			p.Sense(1)
		}
		return p.Sense(1)
	}
	half()
	s := half()
	want := 1.0
	if runtime.GOMAXPROCS(0) == 1 {
		want = 0 // the CPU that others leave is all that we could have
	}
	if d := half().MachineCPU - s.MachineCPU; math.Abs(d-want) > 0.01 {
		t.Errorf("others took %v CPU seconds after the jumps, want %v", d, want)
	}
}

func TestCountCPUs(t *testing.T) {
	for _, cpus := range []int{1, 2, 7, 8, 64, 300} {
		h := newFakeHost(t, map[string]string{"/proc/stat": statFile(cpus, 1)})
		if got := sense.CountCPUs(h.root); got != cpus {
			t.Errorf("%d CPUs of %d", got, cpus)
		}
	}
	if _, err := os.Stat("/proc/stat"); err == nil {
		if got := sense.CountCPUs(""); got < runtime.NumCPU() {
			t.Errorf("/proc/stat lists %d CPUs, runtime.NumCPU says %d", got, runtime.NumCPU())
		}
	}
}

func TestAffinity(t *testing.T) {
	if got := sense.Affinity(); got != runtime.NumCPU() {
		t.Errorf("affinity() = %d, runtime.NumCPU() = %d", got, runtime.NumCPU())
	}
}

var huge = regexp.MustCompile(`[0-9]{18}`)

func FuzzStatTimes(f *testing.F) {
	f.Add([]byte(statFile(2, 7)))
	f.Add([]byte("cpu  1 2 3 4\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if huge.Match(b) {
			t.Skip("sums may wrap")
		}
		if idle, total, ok := sense.StatTimes(b); ok && idle > total {
			t.Errorf("idle %d of %d in %q", idle, total, b)
		}
	})
}

// A reader that has to wait for its own CPU once is no reason to look away from what
// all CPUs do, and a file that takes long each time is one. Meanwhile others are taken
// to go on as they did.
func TestMachineCPUThroughASlowReading(t *testing.T) {
	const slow, pace = 3 * time.Millisecond, 10 * time.Millisecond
	for _, c := range []struct {
		name  string
		delay func(reading int) time.Duration
		reads int // of the file, by 200 readings
	}{
		{"once", func(i int) time.Duration {
			if i == 20 {
				return slow
			}
			return 0
		}, 200},
		{"two of three", func(i int) time.Duration {
			if i%3 > 0 {
				return slow
			}
			return 0
		}, 200},
		{"always", func(int) time.Duration { return slow }, 14},
	} {
		t.Run(c.name, func(t *testing.T) {
			procs(t, 2)
			h := newFakeHost(t, map[string]string{"/proc/stat": ticking(2, 0, 1000)})
			reading, asked, reads := 0, false, 0
			p := sense.NewProcessMasked(h.root, func() time.Duration {
				now := h.now
				if asked { // the file has been read in between
					now += c.delay(reading)
					reads++
				}
				asked = !asked
				return now
			}, func() float64 { return 0 }, nil)
			last := p.Sense(1).MachineCPU
			for reading = 1; reading < 200; reading++ {
				asked = false
				h.now += pace
				h.write("/proc/stat", ticking(2, 0, uint64(1000+2*reading))) // no CPU is ever idle
				now := p.Sense(1).MachineCPU
				if grown := now - last; reading > 20 && math.Abs(grown-2*pace.Seconds()) > 1e-9 {
					t.Errorf("reading %d: the machine used %v s of %v on 2 CPUs, want all", reading, grown, pace)
				}
				last = now
			}
			if reads > c.reads+4 || reads < c.reads-4 { // the first ones show what it costs
				t.Errorf("read %d times, want %d", reads, c.reads)
			}
		})
	}
}
