package dissect_test

import (
	"flag"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/trace"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/lab/dissect"
)

// traced returns a trace of f in so many files.
func traced(t *testing.T, files int, f func(part int)) []string {
	t.Helper()
	var names []string
	for part := range files {
		name := filepath.Join(t.TempDir(), "trace.out")
		file, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := trace.Start(file); err != nil {
			t.Fatal(err)
		}
		f(part)
		trace.Stop()
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	return names
}

func activityOf(t *testing.T, of dissect.Tracing) *dissect.Activity {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	of.Procs = 1
	a, err := of.Activity(dissect.Scope{dir})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// spawnIn returns what a function of this file has started.
func spawnIn(t *testing.T, a *dissect.Activity, name string) dissect.Spawn {
	t.Helper()
	for _, s := range a.Spawns {
		if strings.Contains(s.Place.Func, "."+name) {
			return s
		}
	}
	t.Fatalf("nothing that %s has started is in %+v", name, a.Spawns)
	panic("not reached")
}

func parkIn(a *dissect.Activity, name, reason string) dissect.Park {
	var sum dissect.Park
	for _, p := range a.Parks {
		if strings.Contains(p.Place.Func, "."+name) && p.Reason == reason {
			times := sum.Times
			sum = p
			sum.Times += times
		}
	}
	return sum
}

var spun atomic.Uint64

//go:noinline
func fanOut(n int) {
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			s := uint64(1)
			for range 100_000 {
				s = s*6364136223846793005 + 1
			}
			spun.Store(s)
		})
	}
	all.Wait()
}

//go:noinline
func handOver(n int) {
	c := make(chan int)
	go func() {
		for i := range n {
			c <- i
		}
		close(c)
	}()
	for range c {
	}
}

// waitUntilEnded waits until there are only so many goroutines: one that has called Done has not
// yet ended. If one stays, what is counted shows that.
func waitUntilEnded(before int) {
	for end := time.Now().Add(time.Minute); runtime.NumGoroutine() > before && time.Now().Before(end); {
		runtime.Gosched()
	}
}

func TestActivityTellsWhatALineHasStarted(t *testing.T) {
	a := activityOf(t, dissect.Tracing{Files: traced(t, 1, func(int) {
		before := runtime.NumGoroutine()
		fanOut(20)
		handOver(500)
		waitUntilEnded(before)
	})})
	many := spawnIn(t, a, "fanOut")
	if many.Goroutines != 20 || many.Ended != 20 || many.Peak < 1 || many.Peak > 20 {
		t.Errorf("fanOut starts 20 goroutines: %+v", many)
	}
	// The call of Go is the user's line, not what it calls.
	if filepath.Base(many.Place.File) != "activity_test.go" || !strings.HasPrefix(many.Stack[0].Func, "sync.") {
		t.Errorf("they are started at %v, by %v", many.Place, many.Stack)
	}
	if many.Starts < 20 || many.Running <= 0 || many.MedianRun <= 0 || many.MedianRun > many.Running {
		t.Errorf("20 goroutines start %g times and run %g s, the median %g s", many.Starts, many.Running, many.MedianRun)
	}
	one := spawnIn(t, a, "handOver")
	if one.Goroutines != 1 || one.Ended != 1 {
		t.Errorf("handOver starts one goroutine: %+v", one)
	}
	send, receive := parkIn(a, "handOver", "chan send"), parkIn(a, "handOver", "chan receive")
	if n := send.Times + receive.Times; n == 0 || n > 2*500+1 {
		t.Errorf("500 items park %g times", n)
	}
	if send.Times > 0 && (len(send.Of) != 1 || send.Of[0].Place != one.Place || send.Of[0].Times != send.Times || send.Goroutines != 1) {
		t.Errorf("who sends was started by handOver, and not by %+v", send)
	}
	if w := one.Waits["chan send"]; w.Times != send.Times {
		t.Errorf("the sender waits %g times, its line %g times", w.Times, send.Times)
	}
	for _, s := range a.Spawns {
		if strings.HasPrefix(s.Entry, "testing.") || strings.HasPrefix(s.Entry, "runtime") {
			t.Errorf("%s is none of the user's goroutines", s.Entry)
		}
	}
}

// wakeAndWork wakes a goroutine that waits so many times, and then computes for a while.
//
//go:noinline
func wakeAndWork(times int, busy time.Duration) {
	c := make(chan int)
	var all sync.WaitGroup
	all.Go(func() {
		for range times {
			<-c
		}
	})
	for left := times; left > 0; {
		select {
		case c <- 1: // it waits
			left--
			for began := time.Now(); time.Since(began) < busy; {
			}
		default:
			time.Sleep(50 * time.Microsecond)
		}
	}
	all.Wait()
}

// TestActivityTellsTheTimeOfWaking: who is woken waits for a CPU that has nothing to do, if there is
// one, and else for a busy one, which is nobody's waking.
func TestActivityTellsTheTimeOfWaking(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const times, busy = 20, time.Millisecond
	for _, procs := range []int{1, 2} {
		runtime.GOMAXPROCS(procs)
		for try := 1; ; try++ { // between two goroutines a CPU runs none, which may last on a busy machine
			a := activityOf(t, dissect.Tracing{Files: traced(t, 1, func(int) { wakeAndWork(times, busy) })})
			k, one := parkIn(a, "wakeAndWork", "chan receive"), spawnIn(t, a, "wakeAndWork")
			a.Divide(2)
			if half := parkIn(a, "wakeAndWork", "chan receive"); half.Waking != k.Waking/2 {
				t.Errorf("of two operations %g s are not half of %g", half.Waking, k.Waking)
			}
			switch {
			case procs == 1 && k.Times == times && one.Runnable > 0.5*times*busy.Seconds() && k.Waking < 0.1*one.Runnable,
				procs == 2 && k.Times == times && k.Waking > 0 && k.Waking <= one.Runnable:
			case try < 5:
				continue
			default:
				t.Errorf("%d CPUs: %+v, of %g s of being ready", procs, k, one.Runnable)
			}
			break
		}
	}
}

func TestActivityDivides(t *testing.T) {
	a := activityOf(t, dissect.Tracing{Files: traced(t, 1, func(int) {
		before := runtime.NumGoroutine()
		for range 4 {
			fanOut(5)
		}
		waitUntilEnded(before)
	})})
	wall, created := a.Wall, a.Created
	before := spawnIn(t, a, "fanOut")
	a.Divide(4)
	after := spawnIn(t, a, "fanOut")
	if after.Goroutines != 5 || after.Ended != 20 || after.MedianRun != before.MedianRun || after.Running != before.Running/4 || a.Wall != wall/4 || a.Created != created/4 {
		t.Errorf("of four operations %+v is not a quarter of %+v", after, before)
	}
}

func TestActivityGoesOnInTheNextFile(t *testing.T) {
	const nap = 20 * time.Millisecond
	release := make(chan struct{})
	var all sync.WaitGroup
	var before int
	files := traced(t, 2, func(part int) {
		if part == 1 {
			time.Sleep(nap)
			close(release)
			all.Wait()
			waitUntilEnded(before)
			return
		}
		before = runtime.NumGoroutine()
		for range 3 {
			all.Go(func() { <-release })
		}
		stacks := make([]byte, 1<<20)
		for waiting := 0; waiting < 3; {
			time.Sleep(100 * time.Microsecond)
			waiting = strings.Count(string(stacks[:runtime.Stack(stacks, true)]), " [chan receive]:\ngithub.com/sweetspot-go/sweetspot/lab/dissect_test.TestActivityGoesOnInTheNextFile")
		}
	})
	a := activityOf(t, dissect.Tracing{Files: files})
	s := spawnIn(t, a, "TestActivityGoesOnInTheNextFile")
	if s.Goroutines != 3 || s.Ended != 3 {
		t.Errorf("three goroutines start in one file and end in the next: %+v", s)
	}
	if want := 3 * nap.Seconds() * 0.95; s.Waiting < want || s.Waits["chan receive"].Times != 3 || s.Waits["chan receive"].Seconds < want { // the clocks differ a little
		t.Errorf("three goroutines that wait from one file into the next for %v each wait %+v", nap, s.Waits)
	}
	if p := parkIn(a, "TestActivityGoesOnInTheNextFile", "chan receive"); p.Times != 3 || p.Seconds < 3*nap.Seconds()*0.95 {
		t.Errorf("they wait at %+v", p)
	}
}

func TestActivityForgetsWhoEndsBetweenFiles(t *testing.T) {
	const test = "github.com/sweetspot-go/sweetspot/lab/dissect_test.TestActivityForgetsWhoEndsBetweenFiles"
	stacks := make([]byte, 1<<20)
	until := func(n int, say string) {
		for strings.Count(string(stacks[:runtime.Stack(stacks, true)]), say+test) != n {
			time.Sleep(100 * time.Microsecond)
		}
	}
	start := func() (stop func()) {
		release := make(chan struct{})
		for range 3 {
			go func() { <-release }()
		}
		until(3, " [chan receive]:\n")
		return func() {
			close(release)
			until(0, "created by ")
		}
	}
	var stop func()
	files := traced(t, 1, func(int) { stop = start() })
	stop()
	files = append(files, traced(t, 1, func(int) {
		stop := start()
		time.Sleep(20 * time.Millisecond)
		stop()
	})...)
	a := activityOf(t, dissect.Tracing{Files: files})
	s := spawnIn(t, a, "TestActivityForgetsWhoEndsBetweenFiles")
	if s.Goroutines != 6 || s.Peak != 3 {
		t.Errorf("three goroutines start in each of two files and end before the next: %+v", s)
	}
	p := parkIn(a, "TestActivityForgetsWhoEndsBetweenFiles", "chan receive")
	if most := 3 * a.Wall; s.Waiting > most || s.Waits["chan receive"].Seconds > most || p.Seconds > most {
		t.Errorf("three goroutines at a time wait for %+v, at their line %g s, in the %g s of the files", s.Waits, p.Seconds, a.Wall)
	}
}

func TestActivityOfFilesFromTheLastToTheFirst(t *testing.T) {
	release := make(chan struct{})
	var all sync.WaitGroup
	files := traced(t, 2, func(part int) {
		for range 3 * (1 - part) {
			all.Go(func() { <-release })
		}
	})
	close(release)
	all.Wait()
	a := activityOf(t, dissect.Tracing{Files: []string{files[1], files[0]}})
	if s := spawnIn(t, a, "TestActivityOfFilesFromTheLastToTheFirst"); s.Goroutines != 3 || s.Peak != 3 {
		t.Errorf("the last file has three goroutines that the first has started: %+v", s)
	}
}

func TestActivityOfATruncatedTrace(t *testing.T) {
	names := traced(t, 2, func(int) { fanOut(10) })
	text, err := os.ReadFile(names[1])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(names[1], text[:200], 0o666); err != nil { // within its first generation, of which there is one a second
		t.Fatal(err)
	}
	a := activityOf(t, dissect.Tracing{Files: names, Partial: true})
	if s := spawnIn(t, a, "fanOut"); s.Goroutines != 10 {
		t.Errorf("the first file has 10 goroutines: %+v", s)
	}
	if _, err := (dissect.Tracing{Files: names, Procs: 1}).Activity(nil); err == nil || !strings.Contains(err.Error(), names[1]) {
		t.Errorf("a truncated trace that should be whole gives the error %v", err)
	}
}

func TestActivityOfABenchmarkIsOfItsTimedRun(t *testing.T) {
	old := flag.Lookup("test.benchtime").Value.String()
	defer flag.Set("test.benchtime", old)
	if err := flag.Set("test.benchtime", "7x"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		loops bool
		f     func(b *testing.B)
	}{
		{"for range b.N", false, func(b *testing.B) {
			handOver(10) // before the timer
			b.ResetTimer()
			for range b.N {
				b.StopTimer()
				handOver(10)
				b.StartTimer()
				fanOut(3)
			}
			b.StopTimer()
			handOver(10)
		}},
		{"b.Loop", true, func(b *testing.B) {
			handOver(10)
			for b.Loop() {
				fanOut(3)
			}
			handOver(10)
		}},
	} {
		n := 0
		files := traced(t, 1, func(int) { n = testing.Benchmark(c.f).N })
		a := activityOf(t, dissect.Tracing{Files: files, Window: dissect.Timed})
		s := spawnIn(t, a, "fanOut")
		if n != 7 || s.Goroutines != 7*3 || a.Loops != c.loops {
			t.Errorf("%s: %d operations start %g goroutines, want 7 with 3 each; it loops: %t", c.name, n, s.Goroutines, a.Loops)
		}
		for _, s := range a.Spawns {
			if strings.Contains(s.Place.Func, ".handOver") && s.Goroutines > 0 {
				t.Errorf("%s: what is outside of the timer counts: %+v", c.name, s)
			}
		}
	}
}

func TestActivityWantsABenchmark(t *testing.T) {
	files := traced(t, 1, func(int) { fanOut(1) })
	if _, err := (dissect.Tracing{Files: files, Window: dissect.Timed, Procs: 1}).Activity(nil); err == nil || !strings.Contains(err.Error(), "no benchmark") {
		t.Errorf("a trace without a benchmark gives the error %v", err)
	}
}

func TestMedianOfDurations(t *testing.T) {
	for _, c := range []struct {
		times []float64
		want  float64
	}{
		{nil, 0},
		{[]float64{0, 0, 1e-6}, 0},
		{[]float64{1e-6}, 1e-6},
		{[]float64{3, 1e-9, 2e-6}, 2e-6},
		{[]float64{1e-6, 1e-3, 1, 1}, 1e-3},
	} {
		if got := dissect.MedianOf(c.times...); math.Abs(got-c.want) > 0.02*c.want {
			t.Errorf("the median of %v is %g, want %g", c.times, got, c.want)
		}
	}
}

func TestScope(t *testing.T) {
	for _, c := range []struct {
		scope dissect.Scope
		place dissect.Place
		want  bool
	}{
		{dissect.Scope{"/a/b"}, dissect.Place{Func: "x.y/b.F", File: "/a/b/c.go"}, true},
		{dissect.Scope{"/a/b"}, dissect.Place{Func: "x.y/b.F", File: "/a/bc/c.go"}, false},
		{dissect.Scope{"/a/b"}, dissect.Place{Func: "runtime.F", File: "/a/b/c.go"}, false},
		{nil, dissect.Place{Func: "main.main"}, true},
		{nil, dissect.Place{Func: "example.com/a.F"}, true},
		{nil, dissect.Place{Func: "net/http.(*conn).serve"}, false},
		{nil, dissect.Place{Func: "strconv.Itoa"}, false},
	} {
		if got := c.scope.Has(c.place); got != c.want {
			t.Errorf("%v has %v: %t", c.scope, c.place, got)
		}
	}
}
