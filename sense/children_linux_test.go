package sense_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/sense"
)

// A program has started make, which starts compilers: what do all of them use?
func ExampleChildren_Look() {
	c := sense.NewChildren()
	u, ok := c.Look()
	if !ok {
		fmt.Println("not known, or there are too many")
	}
	fmt.Println("seconds of CPU time:", u.CPU >= 0)
	fmt.Println("bytes of memory:", u.Memory > 0)
	fmt.Println("threads that can work at the same time:", u.Ends > 0)
	// Output:
	// seconds of CPU time: true
	// bytes of memory: true
	// threads that can work at the same time: true
}

// procStat is /proc/PID/stat with a name made to confuse.
func procStat(pid, parent, utime, stime, cutime, cstime, threads, pages int) string {
	return fmt.Sprintf("%d (a) R 9 (b) S %d %d %d 0 -1 4194560 100 0 0 0 %d %d %d %d 20 0 %d 0 12345 1000000 %d 18446744073709551615 0 0 0\n",
		pid, parent, pid, pid, utime, stime, cutime, cstime, threads, pages)
}

// put writes a process of one thread with its children.
func (h *fakeHost) put(pid, parent, ticks int, children string) {
	h.write(fmt.Sprintf("/proc/%d/stat", pid), procStat(pid, parent, ticks, 0, 0, 0, 1, 100))
	h.write(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid), children)
}

func TestProcessTimes(t *testing.T) {
	parent, threads, ticks, pages, ok := sense.ProcessTimes([]byte(procStat(7, 3, 10, 20, 300, 4000, 5, 66)))
	if parent != 3 || threads != 5 || ticks != 4330 || pages != 66 || !ok {
		t.Errorf("got %d %d %d %d %v", parent, threads, ticks, pages, ok)
	}
	b, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		t.Skip(err)
	}
	parent, threads, _, pages, ok = sense.ProcessTimes(b)
	if parent != os.Getppid() || threads < 1 || pages == 0 || !ok {
		t.Errorf("own stat: parent %d, threads %d, pages %d, %v", parent, threads, pages, ok)
	}
	b = []byte(procStat(7, 3, 10, 20, 300, 4000, 5, 66))
	for i := range b[:strings.Index(string(b), " 66 ")] {
		if _, _, _, _, ok := sense.ProcessTimes(b[:i]); ok {
			t.Errorf("accepted the first %d bytes of %q", i, b)
		}
	}
}

func FuzzProcessTimes(f *testing.F) {
	f.Add([]byte(procStat(7, 3, 10, 20, 300, 4000, 5, 66)))
	f.Add([]byte("1 ()"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, _, _, _, ok := sense.ProcessTimes(b); ok && !strings.Contains(string(b), ")") {
			t.Errorf("accepted %q", b)
		}
	})
}

// TestLook reads all descendants at once, whoever started them.
func TestLook(t *testing.T) {
	h := newFakeHost(t, nil)
	h.put(50, 1, 100, "100 101")
	h.put(100, 50, 5, "102 ")
	h.write("/proc/101/stat", procStat(101, 50, 10, 0, 300, 0, 3, 100))
	h.write("/proc/101/task/101/children", "")
	h.put(102, 100, 20, "")
	h.put(999, 1, 100_000, "") // a stranger
	c := h.children()
	c.SetParent(50)
	u, ok := c.Look()
	if !ok || math.Abs(u.CPU-4.35) > 1e-9 || u.Ends != 4 || u.Memory != float64(400*os.Getpagesize()) {
		t.Errorf("got %+v, %v, want 4.35 s of CPU time, 400 pages and 4 ends", u, ok)
	}
	h.put(102, 100, 20, strings.Repeat("103 ", 5000)) // more than are read
	if u, ok := c.Look(); ok || u.CPU < 4.35 {
		t.Errorf("got %+v, %v of a tree that is too large, want a part", u, ok)
	}
	h.remove("/proc/50/task") // a kernel without CONFIG_PROC_CHILDREN
	if u, ok := c.Look(); ok {
		t.Errorf("got %+v where the kernel does not list children", u)
	}
	h.remove("/proc/50")
	if _, ok := c.Look(); ok {
		t.Error("read what is not there")
	}
}

// TestLookAtManyChildren: the kernel lists the children of a thread by the page, and a
// program may start each of its children from another thread.
func TestLookAtManyChildren(t *testing.T) {
	const many = 600
	for name, threads := range map[string]int{"of one thread": 1, "each of a thread": many} {
		t.Run(name, func(t *testing.T) {
			h := newFakeHost(t, nil)
			lists := make([]string, threads)
			for i := range many {
				pid := 1234567 + i
				h.put(pid, 50, 1, "")
				lists[i%threads] += fmt.Sprintf("%d ", pid)
			}
			for i := range 6 { // other processes, whose numbers are the first digits of those
				h.put(1234567/int(math.Pow10(i+1)), 1, 100_000, "")
			}
			h.put(50, 1, 0, "")
			h.write("/proc/50/stat", procStat(50, 1, 0, 0, 0, 0, threads, 100))
			for i, list := range lists {
				h.write(fmt.Sprintf("/proc/50/task/%d/children", 50+i), list)
			}
			c := h.children()
			c.SetParent(50)
			if u, ok := c.Look(); !ok || u.Ends != many || math.Abs(u.CPU-many*0.01) > 1e-9 {
				t.Errorf("got %+v, %v, want %d ends of 10 ms each", u, ok, many)
			}
		})
	}
}

// TestTreeOfARunningChild counts a shell with two children, one of which has
// one of its own, and a thread that started another.
func TestTreeOfARunningChild(t *testing.T) {
	h := newFakeHost(t, nil)
	h.put(100, 1, 5, "101 102 ")
	h.put(101, 100, 10, "")
	h.put(102, 100, 20, "103")
	h.put(103, 102, 40, "")
	h.write("/proc/102/stat", procStat(102, 100, 20, 0, 0, 0, 2, 100))
	h.write("/proc/102/task/1102/children", "104 ")
	h.put(104, 102, 80, "")
	h.put(999, 1, 100_000, "") // a stranger
	c := h.children()
	c.SetParent(1)
	c.Started(100)
	if got := c.Sense(1).OwnCPU; math.Abs(got-1.55) > 1e-9 {
		t.Errorf("at the start, the tree counts %v, want 1.55", got)
	}
	h.now += 3 * time.Second
	h.put(200, 1, 70, "")
	c.Started(200)
	if got := c.Sense(2).OwnCPU; math.Abs(got-1.55) > 1e-9 {
		t.Errorf("a young child later counts %v", got-1.55)
	}
	if got := c.Sense(1).OwnCPU; math.Abs(got-1.55) > 1e-9 {
		t.Errorf("the tree counts %v, want 1.55", got)
	}
	// A grandchild ends; its parent has waited for it, and itself went on.
	h.write("/proc/102/stat", procStat(102, 100, 20, 1, 40, 0, 1, 100))
	h.write("/proc/102/task/102/children", "")
	h.remove("/proc/102/task/1102")
	h.remove("/proc/103")
	h.now += 250 * time.Millisecond
	if got := c.Sense(1).OwnCPU; math.Abs(got-1.55) > 1e-9 {
		t.Errorf("%v after a grandchild vanished, want 1.55 kept", got)
	}
	c.Reaped(100, 1.7, 0)
	if got := c.Sense(0).OwnCPU; math.Abs(got-1.7) > 1e-9 {
		t.Errorf("%v once reaped, want 1.7", got)
	}
}

// At first jobs are looked at that are young, and whether they sleep: one that waits for a disk
// does not, nor one with a child that runs.
func TestChildrenAsleep(t *testing.T) {
	h := newFakeHost(t, nil)
	c := h.children()
	c.SetParent(1)
	c.Sense(0)
	state := func(pid int, letter string) {
		b := procStat(pid, 1, 0, 0, 0, 0, 1, 100)
		h.write(fmt.Sprintf("/proc/%d/stat", pid), strings.Replace(b, ") S", ") "+letter, 1))
	}
	h.put(100, 1, 0, "")
	h.put(101, 1, 0, "201")
	h.write("/proc/201/stat", strings.Replace(procStat(201, 101, 0, 0, 0, 0, 1, 100), ") S", ") R", 1))
	h.put(102, 1, 0, "")
	state(102, "D")
	h.put(103, 1, 0, "")
	for i := range 4 {
		c.Started(100 + i)
	}
	look := func() float64 {
		h.now += 10 * time.Millisecond
		return c.Sense(4).Asleep
	}
	if got := look(); got != 0.5 {
		t.Errorf("%v of four sleep, want half", got)
	}
	state(102, "S")
	if got := look(); got != 0.75 {
		t.Errorf("%v sleep, want three quarters", got)
	}
	h.now += 2 * time.Second
	if got := look(); got != 0 {
		t.Errorf("%v sleep after two seconds, want 0: nobody looks any more", got)
	}
}

// TestStrangerWithOurNumber must not be counted: the child is gone and its
// number went to a process that is not ours.
func TestStrangerWithOurNumber(t *testing.T) {
	h := newFakeHost(t, nil)
	h.put(100, 77, 500, "")
	c := h.children()
	c.SetParent(1)
	c.Started(100)
	h.now += 2 * time.Second
	if got := c.Sense(1).OwnCPU; got != 0 {
		t.Errorf("a stranger's %v seconds were counted", got)
	}
}

func TestReapedWithoutStarted(t *testing.T) {
	h := newFakeHost(t, nil)
	c := h.children()
	c.Reaped(5, 2, 0)
	c.Reaped(6, math.NaN(), -1)
	c.Reaped(7, -3, 0)
	if got := c.Sense(1).OwnCPU; got != 2 {
		t.Errorf("OwnCPU = %v, want 2", got)
	}
}

// TestNumberUsedAgain is the race of two workers: the kernel gives a number to
// a new child before the old one's end was reported.
func TestNumberUsedAgain(t *testing.T) {
	h := newFakeHost(t, nil)
	h.put(100, 1, 200, "")
	c := h.children()
	c.SetParent(1)
	c.Started(100)
	h.now += 2 * time.Second
	c.Sense(1) // counts 2 s
	h.put(100, 1, 0, "")
	c.Started(100)
	c.Reaped(100, 2.5, 0)
	if got := c.Sense(1).OwnCPU; math.Abs(got-2.5) > 1e-9 {
		t.Errorf("OwnCPU = %v after the first, want 2.5", got)
	}
	h.put(100, 1, 50, "")
	h.now += 2 * time.Second
	if got := c.Sense(1).OwnCPU; math.Abs(got-3) > 1e-9 {
		t.Errorf("OwnCPU = %v while the second runs, want 3", got)
	}
	c.Reaped(100, 1, 0)
	if got := c.Sense(0).OwnCPU; math.Abs(got-3.5) > 1e-9 {
		t.Errorf("OwnCPU = %v after the second, want 3.5", got)
	}
}

// TestManyChildrenTakeTurns has more jobs than one round reads.
func TestManyChildrenTakeTurns(t *testing.T) {
	const jobs = 150
	h := newFakeHost(t, nil)
	c := h.children()
	c.SetParent(1)
	for i := range jobs {
		h.put(100+i, 1, 100, "")
		c.Started(100 + i)
	}
	h.now += time.Second
	before := 0.0
	for round := 1; ; round++ {
		h.now += 250 * time.Millisecond
		got := c.Sense(jobs).OwnCPU
		if got-before > 64 {
			t.Fatalf("one round read %v jobs", got-before)
		}
		before = got
		if math.Abs(got-jobs) < 1e-6 {
			break
		}
		if round > 10 {
			t.Fatalf("%v of %d jobs read after %d rounds", got, jobs, round)
		}
	}
}

// TestChildrenModel starts, runs, reads and reaps at random: the total never
// falls, is never above the truth, and is the truth once all are reaped.
func TestChildrenModel(t *testing.T) {
	h := newFakeHost(t, map[string]string{"/proc/stat": statFile(4, 0)})
	c := h.children()
	c.SetParent(1)
	rng := rand.New(rand.NewPCG(3, 4))
	running := map[int]int{} // ticks
	truth, before, beforeAll := 0.0, 0.0, math.Inf(-1)
	pid := 100
	for range 200 {
		switch k := rng.IntN(10); {
		case k < 3:
			pid++
			running[pid] = 0
			h.put(pid, 1, 0, "")
			c.Started(pid)
		case k < 8:
			for p := range running {
				n := rng.IntN(30)
				running[p] += n
				truth += 0.01 * float64(n)
				h.put(p, 1, running[p], "")
			}
		default:
			for p, n := range running {
				h.remove(fmt.Sprintf("/proc/%d", p))
				c.Reaped(p, 0.01*float64(n)+0.004, 0)
				truth += 0.004
				delete(running, p)
				break
			}
		}
		h.now += time.Duration(rng.IntN(300)) * time.Millisecond
		s := c.Sense(len(running))
		if s.OwnCPU < before || s.MachineCPU < beforeAll {
			t.Fatalf("fell: %+v after own %v, machine %v", s, before, beforeAll)
		}
		if s.OwnCPU > truth+1e-6 {
			t.Fatalf("counted %v of %v", s.OwnCPU, truth)
		}
		before, beforeAll = s.OwnCPU, s.MachineCPU
	}
	for p, n := range running {
		c.Reaped(p, 0.01*float64(n), 0)
	}
	if got := c.Sense(0).OwnCPU; math.Abs(got-truth) > 1e-6 {
		t.Errorf("counted %v in the end, true %v", got, truth)
	}
}

// TestRealChildren runs shells that compute, themselves and in children, and
// compares what is counted while they run with what the kernel says in the end.
func TestRealChildren(t *testing.T) {
	if _, err := os.Stat("/proc/self/task"); err != nil {
		t.Skip("no /proc")
	}
	// The sensor's clock runs ahead, so that jobs are old enough at once.
	now := time.Hour
	c := sense.NewChildrenAt("", func() time.Duration { return now }, func() float64 { return 0 })
	const burn = `i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done`
	var jobs []*exec.Cmd
	var computing sync.WaitGroup
	for _, script := range []string{burn, burn + " & wait", "(" + burn + "); (" + burn + ")"} {
		cmd := exec.Command("sh", "-c", script+"; echo; read line")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Skip("no shell:", err)
		}
		defer in.Close()
		computing.Go(func() { _, _ = out.Read(make([]byte, 1)) })
		c.Started(cmd.Process.Pid)
		jobs = append(jobs, cmd)
	}
	sample := func() float64 {
		now += time.Second
		return c.Sense(len(jobs)).OwnCPU
	}
	// Each says that it is done computing, and reads; until then what is counted only grows.
	done := make(chan struct{})
	go func() { computing.Wait(); close(done) }()
	before, stuck := 0.0, time.After(time.Minute)
	for all := false; !all; {
		select {
		case <-done:
			all = true
		case <-stuck:
			t.Fatal("the shells still compute after a minute")
		case <-time.After(20 * time.Millisecond):
		}
		got := sample()
		if got < before {
			t.Fatalf("fell from %v to %v", before, got)
		}
		before = got
	}
	running := before
	truth := 0.0
	for _, cmd := range jobs {
		cmd.Process.Signal(syscall.SIGTERM)
		cmd.Wait()
		s := cmd.ProcessState
		cpu := (s.UserTime() + s.SystemTime()).Seconds()
		truth += cpu
		c.Reaped(s.Pid(), cpu, 0)
		if got := sample(); got < before-1e-9 {
			t.Errorf("fell from %v to %v when a child was reaped", before, got)
		} else {
			before = got
		}
	}
	// User and system time are cut to ticks for each of the seven processes.
	if running > truth+0.15 || running < truth-0.15 {
		t.Errorf("%v s counted while they ran, %v in the end", running, truth)
	}
	if math.Abs(before-truth) > 0.05 {
		t.Errorf("%v s counted, the kernel says %v", before, truth)
	}
}

func TestChildrenRunnable(t *testing.T) {
	for load, want := range map[string]float64{
		"0.20 0.18 0.12 9/480 11206\n": 4, // beyond four CPUs and the reader
		"0.20 0.18 0.12 5/480 11206\n": 0,
		"0.20 0.18 0.12 1/480 11206\n": 0,
		"nonsense":                     0,
		"":                             0,
	} {
		h := newFakeHost(t, map[string]string{"/proc/stat": statFile(4, 0), "/proc/loadavg": load})
		if got := h.children().Sense(1).Runnable; got != want {
			t.Errorf("%q: %v, want %v", load, got, want)
		}
	}
}

func FuzzEntities(f *testing.F) {
	f.Add([]byte("0.20 0.18 0.12 1/80 11206\n"))
	f.Add([]byte("/"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, _, ok := sense.Entities(b); ok && !strings.Contains(string(b), "/") {
			t.Errorf("accepted %q", b)
		}
	})
}

func TestChildrenSenseDoesNotAllocate(t *testing.T) {
	h := newFakeHost(t, with(containerV2, "/sys/fs/cgroup/memory.pressure", psi(0)))
	c := h.children()
	c.SetParent(1)
	for i := range 20 {
		h.put(100+i, 1, 10, fmt.Sprint(300+i))
		h.put(300+i, 100+i, 10, "")
		h.write(fmt.Sprintf("/proc/%d/stat", 300+i), procStat(300+i, 100+i, 5, 5, 0, 0, 3, 10))
		c.Started(100 + i)
	}
	c.Sense(1)
	if n := testing.AllocsPerRun(50, func() { h.now += 20 * time.Second; c.Sense(20) }); n != 0 {
		t.Errorf("Children.Sense allocates %v times", n)
	}
	if n := testing.AllocsPerRun(50, func() { c.Started(7); c.Reaped(7, 1, 1) }); n != 0 {
		t.Errorf("Started and Reaped allocate %v times", n)
	}
}

func BenchmarkChildren(b *testing.B) {
	for _, jobs := range []int{0, 2, 64} {
		b.Run(fmt.Sprint("jobs=", jobs), func(b *testing.B) {
			now := time.Hour
			c := sense.NewChildrenAt("", func() time.Duration { return now }, sense.OwnCPU)
			for range jobs {
				cmd := exec.Command("sleep", "100")
				if err := cmd.Start(); err != nil {
					b.Skip(err)
				}
				c.Started(cmd.Process.Pid)
				b.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
			}
			now += time.Minute
			b.ReportAllocs()
			for b.Loop() {
				now += 10 * time.Millisecond
				c.Sense(jobs)
			}
		})
	}
}

func BenchmarkStartedReaped(b *testing.B) {
	c := sense.NewChildren()
	b.ReportAllocs()
	for b.Loop() {
		c.Started(7)
		c.Reaped(7, 0.001, 1<<20)
	}
}
