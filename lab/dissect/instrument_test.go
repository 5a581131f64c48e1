package dissect_test

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/trace"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/lab/dissect"
)

var (
	sum  uint64
	kept []byte
)

// spin computes, some milliseconds for each of n.
//
//go:noinline
func spin(n int) {
	s := uint64(1)
	for range n * 1_000_000 {
		s = s*6364136223846793005 + 1
	}
	sum = s
}

// spinElsewhere is the same by another name.
//
//go:noinline
func spinElsewhere(n int) {
	s := uint64(3)
	for range n * 1_000_000 {
		s = s*6364136223846793005 + 1
	}
	sum = s
}

//go:noinline
func waste(n int) {
	for range n {
		kept = make([]byte, 1000)
	}
}

// least is what recordings last at least.
const least = 100 * time.Millisecond

// complete returns a directory with recordings by all instruments of work that is
// there only to be there.
var complete = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "dissect-test-")
	for _, i := range dissect.Instruments() {
		if err == nil {
			err = dissect.Record(context.Background(), dir, i, dissect.Work{Run: func() error { spin(60); return nil }}, least)
		}
	}
	return dir, err
})

func TestMain(m *testing.M) {
	code := m.Run()
	if dir, err := complete(); err == nil {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

// record runs w under one instrument; the others' recordings are of other work.
func record(t *testing.T, w dissect.Work, i dissect.Instrument) *dissect.Recording {
	t.Helper()
	others, err := complete()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "recording")
	if err := os.CopyFS(dir, os.DirFS(others)); err != nil {
		t.Fatal(err)
	}
	if err := dissect.Record(context.Background(), dir, i, w, least); err != nil {
		t.Fatal(err)
	}
	r, err := dissect.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestProfileShowsTheHotFunction(t *testing.T) {
	w := dissect.Work{
		Run:   func() error { spin(100); return nil },
		Check: func() error { spinElsewhere(100); return nil },
	}
	r := record(t, w, dissect.CPU)
	hot, most := "", 0.0
	for name, f := range r.Functions {
		if f.Share > most {
			hot, most = name, f.Share
		}
		if strings.HasSuffix(name, ".spinElsewhere") {
			t.Errorf("the check has a share of %g, but it is not part of a run", f.Share)
		}
	}
	if !strings.HasSuffix(hot, ".spin") || most < 0.5 || r.Functions[hot].Group != dissect.Own {
		t.Errorf("the hottest function is %s with a share of %g in %s, want spin with nearly all, in work", hot, most, r.Functions[hot].Group)
	}
	var all float64
	for _, g := range dissect.Groups() {
		all += r.Groups[g]
	}
	if math.Abs(all-1) > 1e-9 {
		t.Errorf("the shares of the groups sum up to %g", all)
	}
}

func TestProfileOfAllocationHasMoreRuntime(t *testing.T) {
	computing, err := dissect.ProfileOf(context.Background(), dissect.Work{Run: func() error { spin(200); return nil }}, least)
	if err != nil {
		t.Fatal(err)
	}
	// A profile has some dozens of samples, and a busy machine adds waits and switches of the
	// collector's workers, which count as scheduling: one profile of ten will do.
	var groups map[dissect.Group]float64
	for range 10 {
		allocating, err := dissect.ProfileOf(context.Background(), dissect.Work{Run: func() error { waste(500_000); return nil }}, least)
		if err != nil {
			t.Fatal(err)
		}
		groups = allocating.Groups
		got := groups[dissect.Allocation] + groups[dissect.Collection] // 0.5 to 0.9 at rest
		if allocating.Runtime() > computing.Runtime() && got >= 0.3 && got >= 2*groups[dissect.Own] {
			return
		}
	}
	t.Errorf("work that only allocates has the groups %v; the runtime has %g of work that only computes", groups, computing.Runtime())
}

func TestMemoryShowsTheLineThatAllocates(t *testing.T) {
	const times, size = 2000, 1024 // the class of 1000 bytes
	w := dissect.Work{
		Before: func() error { kept = make([]byte, 1<<20); return nil },
		Run:    func() error { waste(times); return nil },
		Check:  func() error { kept = make([]byte, 1<<20); return nil },
	}
	r := record(t, w, dissect.Allocs)
	if r.Objects < times || r.Objects > times*1.05 || r.Bytes < times*size || r.Bytes > times*size*1.05 {
		t.Errorf("a run allocates %g objects and %g bytes, want %d and %d, hardly more", r.Objects, r.Bytes, times, times*size)
	}
	top := ""
	for name, s := range r.Sites {
		if top == "" || s > r.Sites[top] {
			top = name
		}
	}
	if s := r.Sites[top]; !strings.Contains(top, ".waste instrument_test.go:") || math.Abs(s/(times*size)-1) > 0.1 {
		t.Errorf("most is allocated at %q: %g bytes, want about %d in waste", top, s, times*size)
	}
}

func TestScheduleCountsGoroutines(t *testing.T) {
	schedule := func(n int) *dissect.Recording {
		return record(t, dissect.Work{Run: func() error {
			var all sync.WaitGroup
			in := make(chan int)
			for range n {
				all.Go(func() {
					for range in {
					}
				})
			}
			for i := range 100 * n {
				in <- i
			}
			close(in)
			all.Wait()
			return nil
		}}, dissect.Trace)
	}
	few, many := schedule(1), schedule(50)
	if few.Created != 1 || many.Created != 50 {
		t.Errorf("%g and %g goroutines are created, want 1 and 50", few.Created, many.Created)
	}
	if few.Started >= many.Started || few.Blocked >= many.Blocked {
		t.Errorf("one goroutine runs %g times and blocks %g times, 50 with 50 times the work %g and %g times",
			few.Started, few.Blocked, many.Started, many.Blocked)
	}
	// Each goroutine starts, so there are no fewer starts than goroutines.
	if many.Started < 50 {
		t.Errorf("50 goroutines run %g times", many.Started)
	}
	if n := many.Reasons["chan receive"] + many.Reasons["chan send"]; n == 0 || n > many.Blocked {
		t.Errorf("goroutines blocked at channels %g times of %g", n, many.Blocked)
	}
}

func TestScheduleSumsTime(t *testing.T) {
	const nap = 20 * time.Millisecond
	r := record(t, dissect.Work{Run: func() error {
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() { time.Sleep(nap) })
		}
		all.Wait()
		return nil
	}}, dissect.Trace)
	if want := 3 * nap.Seconds() * 0.95; r.Waiting < want { // the clocks differ a little
		t.Errorf("three goroutines that sleep %v wait %g s in sum, want %g or more", nap, r.Waiting, want)
	}
	parts := []float64{r.OnWork, r.OnRuntime, r.Between, r.Idle}
	var all float64
	for _, p := range parts {
		all += p
	}
	if math.Abs(all-1) > 0.01 || slices.Min(parts) < 0 {
		t.Errorf("the time of the Ps is divided into %v, which is not all of it", parts)
	}
	if r.Schedule.Wall < nap.Seconds()*0.95 {
		t.Errorf("a run of %v took %g s", nap, r.Schedule.Wall)
	}
}

func TestScheduleKnowsTheRuntimesGoroutines(t *testing.T) {
	r := record(t, dissect.Work{Run: func() error { runtime.GC(); return nil }}, dissect.Trace)
	if r.Created != 0 {
		t.Errorf("a collection seems to create %g goroutines of the work", r.Created)
	}
	if r.Marking <= 0 || r.Stopped <= 0 {
		t.Errorf("a collection marks for %g s and stops the world for %g s", r.Marking, r.Stopped)
	}
	if n := r.Reasons["GC background sweeper wait"] + r.Reasons["system goroutine wait"]; n != 0 {
		t.Errorf("the runtime's goroutines are counted as the work's: %v", r.Reasons)
	}
}

func TestScheduleIsCut(t *testing.T) {
	created := 0
	s, err := dissect.CutSchedule(t.TempDir(), dissect.Work{Once: true, Run: func() error {
		for more := 1000; more > 0 && created < 3_000_000; created++ { // more of them when it is over
			if !trace.IsEnabled() {
				more--
			}
			runtime.Gosched()
			c := make(chan int)
			go func() { c <- 1 }()
			<-c
		}
		return nil
	}}, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	if !s.Cut || s.Created == 0 || s.Created >= float64(created) {
		t.Errorf("a long trace is cut: %t, with %g of %d goroutines", s.Cut, s.Created, created)
	}
}

func TestRecordRunsAsOftenAsItMay(t *testing.T) {
	for _, once := range []bool{false, true} {
		for _, i := range dissect.Instruments() {
			var runs, before, checks int
			w := dissect.Work{
				Before: func() error { before++; return nil },
				Run:    func() error { runs++; spin(60); return nil },
				Check:  func() error { checks++; return nil },
				Once:   once,
			}
			if err := dissect.Record(context.Background(), t.TempDir(), i, w, 0); err != nil {
				t.Fatal(err)
			}
			if before != runs || checks != runs || once && runs != 1 || !once && runs < 2 {
				t.Errorf("%s, once %t: %d runs, %d calls before, %d checks", i, once, runs, before, checks)
			}
		}
	}
}

func TestRecordFailsWithTheWork(t *testing.T) {
	wrong := errors.New("wrong result")
	bad := func() error { return wrong }
	good := func() error { return nil }
	for _, i := range dissect.Instruments() {
		for _, w := range []dissect.Work{
			{Run: bad, Once: true},
			{Run: good, Before: bad, Once: true},
			{Run: good, Check: bad, Once: true},
			{Run: bad},
		} {
			if err := dissect.Record(context.Background(), t.TempDir(), i, w, 0); !errors.Is(err, wrong) {
				t.Errorf("%s: the error is %v", i, err)
			}
		}
	}
	if err := dissect.Record(context.Background(), t.TempDir(), "sundial", dissect.Work{Run: good}, 0); err == nil || !strings.Contains(err.Error(), `"sundial"`) {
		t.Errorf("an unknown instrument gives the error %v", err)
	}
}

func TestOpenNamesWhatIsNotThere(t *testing.T) {
	dir := t.TempDir()
	if _, err := dissect.Open(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an empty directory gives the error %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "cpu.json"), []byte(`{"runs":1,"procs":1}`), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "cpu.pprof"), []byte("no profile"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := dissect.Open(dir); err == nil || !strings.Contains(err.Error(), "cpu.pprof") {
		t.Errorf("a broken profile gives the error %v", err)
	}
}
