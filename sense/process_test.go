package sense_test

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot/sense"
)

func ExampleNewProcess() {
	var s sense.Sensor = sense.NewProcess()
	before := s.Sense(0)
	sum := 0
	for i := range 50_000_000 {
		sum += i * i
	}
	after := s.Sense(1)
	used := after.OwnCPU - before.OwnCPU
	fmt.Println("used the CPU:", used > 0 && sum != 0)
	fmt.Println("the machine at least as much:", after.MachineCPU-before.MachineCPU > used-1e-9)
	// Output:
	// used the CPU: true
	// the machine at least as much: true
}

func ExampleProcess_Sense() {
	p := sense.NewProcess()
	s := p.Sense(8) // eight units are in flight
	fmt.Println("some CPU is ours:", s.CPUs > 0)
	if s.Ceiling > 0 && s.Ceiling <= 8 {
		fmt.Println("no growth now:", s.Why)
	}
	// Output: some CPU is ours: true
}

// burn keeps n goroutines computing until the test ends.
func burn(t *testing.T, n int) {
	var stop atomic.Bool
	var burners sync.WaitGroup
	for range n {
		burners.Go(func() {
			for !stop.Load() {
			}
		})
	}
	t.Cleanup(func() {
		stop.Store(true)
		burners.Wait()
	})
}

// TestProcessCounters burns CPU on several goroutines and checks the promises
// about the counters at every step.
func TestProcessCounters(t *testing.T) {
	p := sense.NewProcess()
	burn(t, 4)
	first := p.Sense(4)
	before := first
	for range 30 {
		time.Sleep(2 * time.Millisecond)
		s := p.Sense(4)
		if s.OwnCPU < before.OwnCPU || s.MachineCPU < before.MachineCPU {
			t.Fatalf("a counter fell: %+v after %+v", s, before)
		}
		if own, all := s.OwnCPU-before.OwnCPU, s.MachineCPU-before.MachineCPU; all < own-1e-9 {
			t.Fatalf("machine grew by %v, own by %v", all, own)
		}
		if s.Runnable < 0 || s.CPUs <= 0 || s.CPUs > float64(runtime.GOMAXPROCS(0)) {
			t.Fatalf("impossible sample %+v", s)
		}
		before = s
	}
	if before.OwnCPU == first.OwnCPU {
		t.Error("four busy goroutines used no CPU time")
	}
}

// unhurried returns a Process for which time passes between any two looks, so that
// none is served with the reading of the last.
func unhurried() *sense.Process {
	now := time.Duration(0)
	return sense.NewProcessAt("", func() time.Duration { now += sense.Fresh; return now }, sense.OwnCPU)
}

func TestProcessFollowsGOMAXPROCS(t *testing.T) {
	p := unhurried()
	old := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(old)
	if got := p.Sense(1).CPUs; got > 1 {
		t.Errorf("CPUs = %v with GOMAXPROCS 1", got)
	}
}

// TestRunnable checks that waiting goroutines are seen: many more that compute
// than CPUs.
func TestRunnable(t *testing.T) {
	old := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(old)
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // its workers would wait, too
	p := sense.NewProcess()
	burn(t, 6)
	most := 0.0
	for i := 0; i < 1000 && most < 5; i++ {
		runtime.Gosched()
		most = max(most, p.Sense(6).Runnable)
	}
	// Six compute, the reader took the only CPU: five wait beyond the one that
	// it displaced. One or two of the runtime's own may wait as well.
	if most < 5 || most > 7 {
		t.Errorf("at most %v runnable, want 5", most)
	}
}

func TestProcessGCCycles(t *testing.T) {
	p := unhurried()
	before := p.Sense(1).GCCycles
	runtime.GC()
	if after := p.Sense(1).GCCycles; after <= before {
		t.Errorf("%d collections after runtime.GC, %d before", after, before)
	}
}

// TestProcessInBubble checks that the kernel's counters are measured against
// the kernel's clock: an hour in a synctest bubble takes no time at all.
func TestProcessInBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := sense.NewProcess()
		a := p.Sense(1)
		time.Sleep(time.Hour)
		b := p.Sense(1)
		if grown := b.MachineCPU - a.MachineCPU; grown > 60 {
			t.Errorf("the machine used %v CPU seconds in no time", grown)
		}
	})
}

func TestSenseDoesNotAllocate(t *testing.T) {
	p := new(sense.Process)
	p.Sense(1)
	if n := testing.AllocsPerRun(200, func() { p.Sense(4) }); n != 0 {
		t.Errorf("Process.Sense allocates %v times", n)
	}
	// With a clock that jumps, everything is due each time.
	now := time.Duration(0)
	p = sense.NewProcessAt("", func() time.Duration { return now }, sense.OwnCPU)
	p.Sense(1)
	if n := testing.AllocsPerRun(50, func() { now += 20 * time.Second; p.Sense(100_000) }); n != 0 {
		t.Errorf("Process.Sense allocates %v times when all is due", n)
	}
}

// BenchmarkProcess is what a governor pays: a reading every 10 ms, with all that
// is due then.
func BenchmarkProcess(b *testing.B) {
	now := time.Duration(0)
	p := sense.NewProcessAt("", func() time.Duration { return now }, sense.OwnCPU)
	p.Sense(4)
	b.ReportAllocs()
	for b.Loop() {
		now += 10 * time.Millisecond
		p.Sense(4)
	}
}
