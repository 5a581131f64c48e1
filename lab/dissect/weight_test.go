package dissect_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/sweetspot-go/sweetspot/lab/dissect"
)

// A sample is some of what a profile has: how often, how much, and where, callees
// first, as "func file:line".
type sample struct {
	count, amount int64
	stack         []dissect.Place
}

func at(fn, file string, line int) dissect.Place {
	return dissect.Place{Func: fn, File: file, Line: line}
}

// written returns a file with a profile.
func written(t *testing.T, count, amount string, samples ...sample) string {
	t.Helper()
	p := &profile.Profile{SampleType: []*profile.ValueType{{Type: count, Unit: "count"}, {Type: amount, Unit: "nanoseconds"}}}
	for _, s := range samples {
		all := &profile.Sample{Value: []int64{s.count, s.amount}}
		for _, place := range s.stack {
			f := &profile.Function{ID: uint64(len(p.Function) + 1), Name: place.Func, Filename: place.File}
			l := &profile.Location{ID: uint64(len(p.Location) + 1), Line: []profile.Line{{Function: f, Line: int64(place.Line)}}}
			p.Function, p.Location = append(p.Function, f), append(p.Location, l)
			all.Location = append(all.Location, l)
		}
		p.Sample = append(p.Sample, all)
	}
	file, err := os.CreateTemp(t.TempDir(), "*.pprof")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Write(file); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Name()
}

func TestWeighByLines(t *testing.T) {
	const second = 1_000_000_000
	send := at("m.F.func1", "/u/f.go", 7)
	files := []string{written(t, "samples", "cpu",
		sample{6, 6 * second, []dissect.Place{at("runtime.chansend", "/go/chan.go", 1), send, at("runtime.goexit", "/go/asm.s", 1)}},
		sample{2, 2 * second, []dissect.Place{send, at("runtime.goexit", "/go/asm.s", 1)}},
		// A recursion counts once.
		sample{4, 4 * second, []dissect.Place{at("strconv.Itoa", "/go/itoa.go", 1), at("m.G", "/u/g.go", 3), at("m.G", "/u/g.go", 3), at("m.BenchmarkG", "/u/g_test.go", 5), at("testing.(*B).runN", "/go/b.go", 1), at("runtime.goexit", "/go/asm.s", 1)}},
		sample{9, 9 * second, []dissect.Place{at("runtime.chanrecv", "/go/chan.go", 1), at("fmt.Sprint", "/go/f.go", 1), at("testing.(*B).run", "/go/b.go", 2), at("m.BenchmarkG", "/u/g_test.go", 4)}},
		sample{9, 9 * second, []dissect.Place{at("runtime/pprof.x", "/go/p.go", 1)}},
		sample{1, second, []dissect.Place{at("runtime.findRunnable", "/go/proc.go", 1), at("runtime.mcall", "/go/asm.s", 1)}},
	)}
	w, err := dissect.Weigh(dissect.CPU, dissect.Sampling{Files: files, Ops: 2}, dissect.Scope{"/u"})
	if err != nil {
		t.Fatal(err)
	}
	if w.All != (dissect.Cost{Count: 6.5, Amount: 6.5}) {
		t.Errorf("all is %v, want 13 samples of two operations: what records and what tests are left out", w.All)
	}
	if got := w.Lines[0]; got.Place != send || got.Self.Amount != 1 || got.Own.Amount != 4 || got.Through.Amount != 4 || got.Spawned.Amount != 4 ||
		got.Groups[dissect.Channels] != 3 || got.Groups[dissect.Own] != 1 {
		t.Errorf("the line that sends costs %+v", got)
	}
	if got := w.Line("/u/g.go", 3); got.Own.Amount != 2 || got.Through.Amount != 2 || got.Self.Amount != 0 || got.Spawned.Amount != 0 {
		t.Errorf("the line of the recursion costs %+v", got)
	}
	if got := w.Line("/u/g_test.go", 5); got.Own.Amount != 0 || got.Through.Amount != 2 {
		t.Errorf("the line of the benchmark costs %+v", got)
	}
	if got := w.Line("/u/g_test.go", 4); got.Through.Amount != 0 {
		t.Errorf("waiting for a benchmark costs %+v", got)
	}
	if got := w.Groups[dissect.Channels]; math.Abs(got-6.0/13) > 1e-9 {
		t.Errorf("channels have the share %g, want 6/13", got)
	}
	var none *dissect.Weighing
	if got := none.Line("/u/f.go", 7); got.Own.Amount != 0 {
		t.Errorf("without a profile a line costs %+v", got)
	}
}

// An atomic operation is an instruction, though some of them have a function.
func TestAtomicsBelongToTheirLine(t *testing.T) {
	add, lock, atomic := at("m.F", "/u/f.go", 7), at("m.F", "/u/f.go", 8), at("sync/atomic.(*Int32).Add", "/go/type.go", 1)
	file := written(t, "samples", "cpu",
		sample{1, 1e9, []dissect.Place{atomic, add}},
		sample{1, 1e9, []dissect.Place{atomic, at("sync.(*RWMutex).RLock", "/go/rwmutex.go", 1), lock}},
	)
	w, err := dissect.Weigh(dissect.CPU, dissect.Sampling{Files: []string{file}, Ops: 1}, dissect.Scope{"/u"})
	if err != nil {
		t.Fatal(err)
	}
	if got := w.Line(add.File, add.Line); got.Self.Amount != 1 || got.Groups[dissect.Own] != 1 {
		t.Errorf("the line with the operation costs %+v, want 1 s of its own", got)
	}
	if got := w.Line(lock.File, lock.Line); got.Self.Amount != 0 || got.Groups[dissect.Channels] != 1 {
		t.Errorf("the line with the lock costs %+v, want 1 s in locks", got)
	}
}

// Profiles have the type arguments of functions, and traces do not.
func TestTypeArgumentsAreLeftOut(t *testing.T) {
	var lines []sample
	for _, of := range []string{"go.shape.int", "go.shape.struct { A []int; B m/n.T }"} {
		lines = append(lines, sample{1, 1e9, []dissect.Place{at("m.F["+of+"].func1", "/u/f.go", 7)}})
	}
	w, err := dissect.Weigh(dissect.CPU, dissect.Sampling{Files: []string{written(t, "samples", "cpu", lines...)}, Ops: 1}, dissect.Scope{"/u"})
	if err != nil {
		t.Fatal(err)
	}
	if len(w.Lines) != 1 || w.Lines[0].Place.Func != "m.F[...].func1" || w.Lines[0].Own.Amount != 2 {
		t.Errorf("the line of a generic function is %+v, want one with 2 s", w.Lines)
	}
}

// A benchmark has the testing package start goroutines for it.
func TestGoroutinesOfRunParallel(t *testing.T) {
	add := at("m.BenchmarkAdd.func1", "/u/f_test.go", 7)
	of := func(first string) float64 {
		file := written(t, "samples", "cpu", sample{1, 1e9, []dissect.Place{add, at(first, "/go/benchmark.go", 1), at("runtime.goexit", "/go/asm.s", 1)}})
		w, err := dissect.Weigh(dissect.CPU, dissect.Sampling{Files: []string{file}, Ops: 1}, dissect.Scope{"/u"})
		if err != nil {
			t.Fatal(err)
		}
		return w.Line(add.File, add.Line).Spawned.Amount
	}
	for first, want := range map[string]float64{"testing.(*B).RunParallel.func1": 1, "testing.(*B).launch": 0} {
		if got := of(first); got != want {
			t.Errorf("below %s %g s are of goroutines that were started, want %g", first, got, want)
		}
	}
}

func TestWeighTakesTheBaseOff(t *testing.T) {
	line := func(n int) []dissect.Place {
		return []dissect.Place{at("m.F", "/u/f.go", n), at("m.main", "/u/f.go", 99)}
	}
	all := written(t, "alloc_objects", "alloc_space", sample{10, 1000, line(1)}, sample{3, 30, line(2)})
	base := written(t, "alloc_objects", "alloc_space", sample{2, 200, line(1)}, sample{4, 40, line(2)})
	w, err := dissect.Weigh(dissect.Allocs, dissect.Sampling{Files: []string{all}, Base: []string{base}, Ops: 4}, dissect.Scope{"/u"})
	if err != nil {
		t.Fatal(err)
	}
	if got := w.Line("/u/f.go", 1).Own; got != (dissect.Cost{Count: 2, Amount: 200}) {
		t.Errorf("(10-2)/4 objects are %v", got)
	}
	// More than there was cannot be taken off.
	if got := w.Line("/u/f.go", 2).Own; got != (dissect.Cost{}) || w.All.Amount < 200 {
		t.Errorf("(3-4)/4 objects are %v, all are %v", got, w.All)
	}
}

func TestWeighRefuses(t *testing.T) {
	mutex := written(t, "contentions", "delay")
	for _, c := range []struct {
		by   dissect.Instrument
		of   dissect.Sampling
		want string
	}{
		{dissect.Trace, dissect.Sampling{Files: []string{mutex}, Ops: 1}, "trace"},
		{dissect.Mutex, dissect.Sampling{Files: []string{mutex}}, "0 operations"},
		{dissect.CPU, dissect.Sampling{Files: []string{mutex}, Ops: 1}, mutex},
		{dissect.Mutex, dissect.Sampling{Files: []string{mutex + "x"}, Ops: 1}, mutex + "x"},
	} {
		if _, err := dissect.Weigh(c.by, c.of, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s of %+v gives the error %v, want one that names %q", c.by, c.of, err, c.want)
		}
	}
	if w, err := dissect.Weigh(dissect.Mutex, dissect.Sampling{Files: []string{mutex}, Ops: 1}, nil); err != nil || len(w.Lines) != 0 {
		t.Errorf("an empty profile gives %+v and the error %v", w, err)
	}
}

func TestCounts(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) *dissect.Counts {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		c, err := dissect.ReadCounts(path, map[string]string{"example.com/m": dir})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	c := write("all.txt", "mode: atomic\nexample.com/m/f.go:3.10,5.18 2 4\nexample.com/m/f.go:5.18,7.3 1 400\nexample.com/m/f.go:8.2,8.9 1 4\n")
	c.Less(write("base.txt", "mode: atomic\nexample.com/m/f.go:3.10,5.18 2 2\nexample.com/m/f.go:5.18,7.3 1 200\nexample.com/m/f.go:8.2,8.9 1 5\n"), 2)
	for line, want := range map[int]float64{4: 1, 5: 100, 6: 100, 8: 0, 20: 0} {
		if got := c.Times(filepath.Join(dir, "f.go"), line); got != want {
			t.Errorf("line %d is executed %g times, want %g", line, got, want)
		}
	}
	path := filepath.Join(dir, "wrong.txt")
	if err := os.WriteFile(path, []byte("mode: atomic\nnonsense\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := dissect.ReadCounts(path, nil); err == nil || !strings.Contains(err.Error(), "nonsense") {
		t.Errorf("nonsense gives the error %v", err)
	}
}

func TestHeapVariablesAreThoseOfGoroutines(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "m")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	// As go1.26 writes it.
	text := `{"version":0,"package":"m","goos":"linux","goarch":"amd64","gc_version":"go1.26.8","file":"/u/f.go"}
{"range":{"start":{"line":7,"character":5},"end":{"line":7,"character":5}},"severity":3,"code":"escapes","source":"go compiler","message":"t escapes to heap","relatedInformation":[{"location":{"uri":"file:///u/f.go","range":{"start":{"line":8,"character":1},"end":{"line":8,"character":1}}},"message":"escflow:    flow: {heap} ← t:"},{"location":{"uri":"file:///u/f.go","range":{"start":{"line":8,"character":1},"end":{"line":8,"character":1}}},"message":"escflow:      from keep = t (assign)"}]}
{"range":{"start":{"line":7,"character":5},"end":{"line":7,"character":5}},"severity":3,"code":"escape","source":"go compiler","message":""}
{"range":{"start":{"line":7,"character":5},"end":{"line":7,"character":5}},"severity":3,"code":"isInBounds","source":"go compiler","message":""}
{"range":{"start":{"line":9,"character":5},"end":{"line":9,"character":5}},"severity":3,"code":"escape","source":"go compiler","message":"make([]int, n) escapes to heap"}
`
	if err := os.WriteFile(filepath.Join(dir, "f.json"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	seen := &dissect.Weighing{Lines: []dissect.Weight{
		{Place: at("m.F.func1", "/u/f.go", 7), Own: dissect.Cost{Count: 5, Amount: 80}, Spawned: dissect.Cost{Count: 4, Amount: 64}},
		{Place: at("m.main", "/u/f.go", 9), Own: dissect.Cost{Count: 9, Amount: 90}},
	}}
	got, err := dissect.HeapVariables(filepath.Dir(dir), seen)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got[0].What != "t escapes to heap" || got[0].Spawned.Amount != 64 || got[0].Place.Func != "m.F.func1" ||
		strings.Join(got[0].Why, ";") != "keep = t (assign) at f.go:8" {
		t.Errorf("t alone is allocated in a goroutine: %+v", got)
	}
	if err := os.WriteFile(filepath.Join(dir, "g.json"), []byte(`{"version":3,"file":"/u/g.go"}`), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := dissect.HeapVariables(filepath.Dir(dir), seen); err == nil || !strings.Contains(err.Error(), "g.json") || !strings.Contains(err.Error(), "version 3") {
		t.Errorf("another version gives the error %v", err)
	}
}

// A line knows which functions the compiler put into it.
func TestWeighInlined(t *testing.T) {
	line := func(name string, n int64) profile.Line {
		return profile.Line{Function: &profile.Function{ID: uint64(n), Name: name, Filename: "/u/f.go"}, Line: n}
	}
	lines := []profile.Line{line("m.(*Queue[go.shape.int]).Put", 7), line("m.produce", 9)}
	p := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}},
		Function:   []*profile.Function{lines[0].Function, lines[1].Function},
		Location:   []*profile.Location{{ID: 1, Line: lines}, {ID: 2, Line: lines[1:]}},
	}
	p.Sample = []*profile.Sample{{Value: []int64{3, 3}, Location: p.Location[:1]}, {Value: []int64{1, 1}, Location: p.Location[1:]}}
	file, err := os.Create(filepath.Join(t.TempDir(), "cpu.pprof"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := p.Write(file); err != nil {
		t.Fatal(err)
	}
	w, err := dissect.Weigh(dissect.CPU, dissect.Sampling{Files: []string{file.Name()}, Ops: 1}, dissect.Scope{"/u"})
	if err != nil {
		t.Fatal(err)
	}
	if put, produce := w.Line("/u/f.go", 7), w.Line("/u/f.go", 9); put.Self.Count != 3 || produce.Self.Count != 1 || len(w.Lines) != 2 {
		t.Errorf("%+v", w.Lines)
	}
	for _, l := range w.Lines {
		if want := l.Place.Line == 9; (len(l.Inlined) == 1 && l.Inlined[0] == "m.(*Queue[...]).Put") != want {
			t.Errorf("into %v was inlined: %q", l.Place, l.Inlined)
		}
	}
}
