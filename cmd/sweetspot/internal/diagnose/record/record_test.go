package record_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/diagnose/evidence"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/diagnose/record"
	"github.com/sweetspot-go/sweetspot/lab/dissect"
)

// probe is the module that is recorded.
var probe = map[string]string{
	"go.mod": "module example.com/probe\n\ngo 1.26\n",
	"probe.go": `package probe

import "sync"

type T struct{ a, b int }

func Fan(n, items int) (sum int) {
	out := make(chan *T)
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			for i := range items {
				t := &T{i, i}
				out <- t // line 14
			}
		})
	}
	go func() { all.Wait(); close(out) }()
	for t := range out { // line 19
		sum += t.a
	}
	return sum
}
`,
	"probe_test.go": `package probe

import (
	"fmt"
	"os"
	"testing"
)

var sink int

func BenchmarkFan(b *testing.B) {
	for _, n := range []int{3} {
		b.Run(fmt.Sprintf("n=%d items", n), func(b *testing.B) {
			for range 50 {
				Fan(2, 7) // before the timer
			}
			for b.Loop() {
				sink += Fan(n, 40)
			}
			b.ReportMetric(5, "things/op")
		})
	}
}

func BenchmarkFails(b *testing.B) {
	fmt.Fprintln(os.Stderr, "noise")
	b.Fatal("it is broken")
}
`,
	"outside/outside.go": "package outside\n",
	"outside/outside_test.go": `package outside_test

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"example.com/probe"
)

// No goroutine may be left, but that of a timer may be about to end.
func TestMain(m *testing.M) {
	code := m.Run()
	stacks := make([]byte, 1<<20)
	for try := 1; strings.Contains(string(stacks[:runtime.Stack(stacks, true)]), "sweetspotRecorder"); try++ {
		if try == 1000 {
			fmt.Fprintln(os.Stderr, "there is a goroutine left")
			code = 1
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	os.Exit(code)
}

func BenchmarkTalks(b *testing.B) {
	for range b.N {
		fmt.Println("talk")
		probe.Fan(1, 1000)
	}
}
`,
	"failing/failing.go": "package failing\n",
	"failing/failing_test.go": `package failing

import "testing"

func BenchmarkFirst(b *testing.B) {
	b.Run("bad", func(b *testing.B) { b.Fatal("it is broken") })
	b.Run("good", func(b *testing.B) {
		for b.Loop() {
			_ = make([]byte, 64<<10)
		}
	})
}

func BenchmarkLong(b *testing.B) {
	if b.N > 1 {
		b.Fatal("twice is too often")
	}
}

func BenchmarkPanic(b *testing.B) {
	panic("no way out")
}

func BenchmarkSkipped(b *testing.B) { b.Skip() }

func BenchmarkZ(b *testing.B) {
	for b.Loop() {
		_ = make([]byte, 64<<10)
	}
}
`,
	"notbuilt/notbuilt_test.go": `package notbuilt

import "testing"

func BenchmarkNone(b *testing.B) { nothing() }
`,
	"cmd/tool/main.go": `package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"example.com/probe"
)

func main() {
	for _, v := range os.Environ() {
		if strings.HasPrefix(v, "SWEETSPOT_DIAGNOSE") {
			fmt.Println("left over:", v)
			os.Exit(4)
		}
	}
	fmt.Println("ready", os.Args[1:])
	switch os.Args[1] {
	case "sleep":
		time.Sleep(time.Hour)
	case "fail":
		fmt.Fprintln(os.Stderr, "no such luck")
		os.Exit(3)
	}
	if text, err := io.ReadAll(os.Stdin); err != nil || string(text) != "what it reads" {
		fmt.Fprintf(os.Stderr, "standard input is %q, %v", text, err)
		os.Exit(5)
	}
	for range 3 {
		probe.Fan(5, 400)
	}
	defer os.Exit(code())
}

func code() int { return 0 }
`,
}

// brief records as little as there is to record.
func brief(dir string) record.Options {
	return record.Options{Dir: dir, Procs: []int{2, 1}, Rounds: 2, BenchTime: 5 * time.Millisecond}.Briefly(50*time.Millisecond, 0)
}

// recorded returns the observations, and an error also if a benchmark has failed.
func recorded(o record.Options) ([]*evidence.Observation, error) {
	all, failed, err := record.Record(context.Background(), o)
	for _, f := range failed {
		err = errors.Join(err, f)
	}
	return all, err
}

// one returns the one observation that the options ask for.
func one(t *testing.T, o record.Options) *evidence.Observation {
	t.Helper()
	all, err := recorded(o)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 1 {
		t.Fatalf("there are %d observations, want one", len(all))
	}
	return all[0]
}

// TestRecord records in one module, so that not each test compiles it. It is enough
// with one GOMAXPROCS: what is recorded has its own.
func TestRecord(t *testing.T) {
	if !first.CompareAndSwap(false, true) {
		t.Skip("it was recorded with another GOMAXPROCS")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range probe {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name string
		f    func(t *testing.T, dir string)
	}{
		{"a benchmark", recordABenchmark},
		{"a command", recordACommand},
		{"interrupts a command", recordInterruptsACommand},
		{"ends with its context", recordEndsWithItsContext},
		{"refuses", recordRefuses},
		{"goes on beside failures", recordGoesOnBesideFailures},
		{"keeps what it has", recordKeepsWhatItHas},
		{"ends a long trace", recordEndsALongTrace},
	} {
		t.Run(c.name, func(t *testing.T) { c.f(t, dir) })
	}
}

var first atomic.Bool

func recordABenchmark(t *testing.T, dir string) {
	options := brief(dir)
	options.Bench = "Fan"
	o := one(t, options)
	if o.Name != "BenchmarkFan/n=3_items" || o.Package != "example.com/probe" || o.Per != evidence.Op || filepath.Base(o.Points[1].Activity.Spawns[0].Place.File) != "probe.go" {
		t.Errorf("it is %s of %s, for each %s", o.Name, o.Package, o.Per)
	}
	if len(o.Points) != 2 || o.Points[0].Procs != 1 || o.Largest().Procs != 2 {
		t.Fatalf("the points are %+v, want GOMAXPROCS 1 and 2", o.Points)
	}
	for _, p := range o.Points {
		if len(p.Seconds) != 2 || len(p.CPU) != 2 || p.Seconds[0] <= 0 {
			t.Errorf("GOMAXPROCS %d: times %v and %v of two rounds", p.Procs, p.Seconds, p.CPU)
		}
		if m := p.Metrics["things/op"]; len(m) != 2 || m[0] != 5 || len(p.Metrics["allocs/op"]) != 2 || p.Metrics["ns/op"] != nil {
			t.Errorf("GOMAXPROCS %d: what it reports is %v", p.Procs, p.Metrics)
		}
		if p.Activity == nil {
			t.Fatalf("GOMAXPROCS %d: there is no trace", p.Procs)
		}
	}
	checkFan(t, o, 1, 3, 40)
	p := o.Largest()
	// An object for each item, and what was before the timer is none of it.
	if line := p.Allocs.Line(o.Module+"/probe.go", 13); line.Own.Count < 3*40*0.9 || line.Own.Count > 3*40*1.1 || line.Spawned.Count < line.Own.Count*0.9 {
		t.Errorf("line 13 allocates %+v, want 120 objects, all in goroutines", line)
	}
	if o.Points[0].Allocs != nil || p.Mutex == nil || p.Block == nil {
		t.Errorf("allocations, mutex and block are of the largest GOMAXPROCS alone")
	}
	if b := p.Block.Line(o.Module+"/probe.go", 14); b.Own.Count <= 0 {
		t.Errorf("who sends does not wait, says the profile: %+v", b)
	}
}

// checkFan checks what an operation that calls Fan so often, with so many workers and
// items, has left.
func checkFan(t *testing.T, o *evidence.Observation, calls, n, items float64) {
	t.Helper()
	for _, p := range o.Points {
		workers := 0
		for _, s := range p.Activity.Spawns {
			if s.Place.Line == 11 {
				workers++
				if s.Goroutines != calls*n || s.Executed != calls*n || s.Ended == 0 {
					t.Errorf("GOMAXPROCS %d: line 11 starts %g goroutines and is executed %g times, want %g", p.Procs, s.Goroutines, s.Executed, calls*n)
				}
			}
		}
		if workers != 1 {
			t.Errorf("GOMAXPROCS %d: goroutines are started at %+v, want line 11 too", p.Procs, p.Activity.Spawns)
		}
		for _, k := range p.Activity.Parks {
			if k.Reason == "chan send" && (k.Place.Line != 14 || k.Executed != calls*n*items || k.Times > k.Executed || len(k.Of) != 1 || k.Of[0].Place.Line != 11) {
				t.Errorf("GOMAXPROCS %d: senders wait at %+v, want line 14, executed %g times", p.Procs, k, calls*n*items)
			}
			if k.Reason == "chan receive" && (k.Place.Line != 19 || k.Executed != calls*n*items) {
				t.Errorf("GOMAXPROCS %d: the receiver waits at %+v, want line 19, executed %g times", p.Procs, k, calls*n*items)
			}
		}
	}
	if len(o.Heap) == 0 || o.Heap[0].Place.Line != 13 || !strings.Contains(o.Heap[0].What, "escapes to heap") || o.Heap[0].Spawned.Count == 0 {
		t.Errorf("line 13 puts something on the heap, for each item: %+v", o.Heap)
	}
}

func recordACommand(t *testing.T, dir string) {
	options := brief(dir)
	options.Command = []string{"go", "run", "-race=false", "./cmd/tool", "work", "-x"}
	options.Keep = filepath.Join(t.TempDir(), "kept [1]") // as a pattern it is "kept 1"
	var out bytes.Buffer
	options.Output, options.Input = &out, inputOf(t, "before, what it reads", len("before, "))
	o := one(t, options)
	if out.String() != "ready [work -x]\n" {
		t.Errorf("the first run prints %q", out.String())
	}
	for name, text := range probe {
		if got, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name))); err != nil || string(got) != text {
			t.Errorf("%s is not as it was: %v", name, err)
		}
	}
	if there, err := filepath.Glob(filepath.Join(dir, "cmd", "tool", "*")); err != nil || len(there) != 1 {
		t.Errorf("there is something new in the source tree: %v %v", there, err)
	}
	if o.Name != "go run -race=false ./cmd/tool work -x" || o.Package != "example.com/probe/cmd/tool" || o.Per != evidence.Run {
		t.Errorf("it is %s of %s, for each %s", o.Name, o.Package, o.Per)
	}
	for _, p := range o.Points {
		if len(p.Seconds) != 2 || len(p.CPU) != 2 {
			t.Errorf("GOMAXPROCS %d: times %v and %v of two rounds", p.Procs, p.Seconds, p.CPU)
		}
		if p.Activity == nil {
			t.Fatalf("GOMAXPROCS %d: there is no trace: %v", p.Procs, o.Notes)
		}
		for _, k := range p.Activity.Parks {
			if strings.Contains(k.Place.Func, dissect.Wrapped) || strings.Contains(k.Place.Func, dissect.Recorder) {
				t.Errorf("%v is not a name of the user's", k.Place)
			}
		}
	}
	checkFan(t, o, 3, 5, 400)
	if len(o.Control) != 2 {
		t.Errorf("after two rounds the loop in registers took %v", o.Control)
	}
	if p := o.Largest(); p.Allocs == nil || p.Mutex == nil || p.Block == nil {
		t.Errorf("there are not all profiles: %v", o.Notes)
	}
}

// inputOf returns a file with that text, of which so much has been read.
func inputOf(t *testing.T, text string, read int) *os.File {
	t.Helper()
	name := filepath.Join(t.TempDir(), "input")
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if _, err := f.Seek(int64(read), io.SeekStart); err != nil {
		t.Fatal(err)
	}
	return f
}

func recordInterruptsACommand(t *testing.T, dir string) {
	for _, most := range []time.Duration{1, 300 * time.Millisecond} { // before it has begun, and most likely after it has
		o := brief(dir)
		o.Procs, o.Rounds, o.Command, o.Most = []int{1}, 1, []string{"cmd/tool", "sleep"}, most
		if notes := strings.Join(one(t, o).Notes, "\n"); !strings.Contains(notes, "interrupted after "+most.String()) {
			t.Errorf("the notes are %s", notes)
		}
	}
}

// A trace that cannot be read is the fault of the command if it had no time to leave one.
func TestUntraced(t *testing.T) {
	for _, c := range []struct {
		wall    time.Duration
		stopped bool
		files   int
		want    string
	}{
		{300 * time.Millisecond, false, 1, "over too soon"},
		{300 * time.Millisecond, true, 0, "over too soon"},
		{2 * time.Second, true, 0, "interrupted too early"}, // before main began
		{2 * time.Second, true, 1, "interrupted too early"}, // while the first file was written
		{2 * time.Second, true, 2, ""},
		{2 * time.Second, false, 1, ""},
	} {
		if got := record.Untraced(c.wall, c.stopped, c.files); !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%+v: the command was %q", c, got)
		}
	}
}

// A teller says when something was printed.
type teller struct{ tell func() }

func (t teller) Write(p []byte) (int, error) { t.tell(); return len(p), nil }

func recordEndsWithItsContext(t *testing.T, dir string) {
	over := errors.New("over")
	ctx, cancel := context.WithCancelCause(context.Background())
	o := brief(dir)
	o.Command = []string{filepath.Join(dir, "cmd", "tool"), "sleep"}
	o.Output = teller{func() { cancel(over) }}
	if _, _, err := record.Record(ctx, o); err != over {
		t.Errorf("the error is %v, want the cause", err)
	}
}

func recordRefuses(t *testing.T, dir string) {
	if err := os.WriteFile(filepath.Join(dir, "built"), nil, 0o777); err != nil {
		t.Fatal(err)
	}
	full := filepath.Join(dir, "cmd")
	for _, c := range []struct {
		name string
		set  func(o *record.Options)
		want string
	}{
		{"both", func(o *record.Options) { o.Bench, o.Command = ".", []string{"cmd/tool"} }, "cannot be recorded together"},
		{"procs", func(o *record.Options) { o.Procs = []int{2, 0} }, "GOMAXPROCS is to be 0"},
		{"keep", func(o *record.Options) { o.Keep = full }, "is not empty"},
		{"a program", func(o *record.Options) { o.Command = []string{"go", "version"} }, "want go run"},
		{"built", func(o *record.Options) { o.Command = []string{"./built"} }, "built already"},
		{"another", func(o *record.Options) { o.Command = []string{"./cmd/nothing"} }, "main package"},
		{"exec", func(o *record.Options) { o.Command = []string{"go", "run", "-exec", "x", "./cmd/tool"} }, "-exec"},
		{"nothing", func(o *record.Options) { o.Command = []string{"go", "run", "-v"} }, "names no package"},
		{"version", func(o *record.Options) { o.Command = []string{"go", "run", "example.com/x@latest"} }, "clone example.com/x"},
		{"library", func(o *record.Options) { o.Command = []string{"."} }, "package probe, want a main package"},
		{"no benchmark", func(o *record.Options) { o.Bench, o.Packages = "Nothing", []string{"./cmd/..."} }, "no benchmark of ./cmd/..."},
		{"fails", func(o *record.Options) { o.Bench = "Fails" }, "it is broken"},
		{"exits", func(o *record.Options) { o.Command = []string{"cmd/tool", "fail"} }, "cmd/tool fail: exit status 3:\nno such luck"},
	} {
		o := brief(dir)
		c.set(&o)
		if all, err := recorded(o); err == nil || all != nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error is %v, want one with %q", c.name, err, c.want)
		}
	}
}

func recordGoesOnBesideFailures(t *testing.T, dir string) {
	o := brief(dir)
	o.Procs, o.Rounds, o.Packages = []int{1}, 1, []string{"./notbuilt", "./failing"}
	all, failed, err := record.Record(context.Background(), o)
	var names []string
	for _, one := range all {
		names = append(names, one.Name)
		if p := one.Largest(); len(p.Seconds) != 1 || p.Activity == nil || p.Allocs == nil {
			t.Errorf("%s is not recorded whole", one.Name)
		}
	}
	if got, want := strings.Join(names, " "), "BenchmarkFirst/good BenchmarkZ"; got != want {
		t.Errorf("recorded %s, want %s", got, want)
	}
	if err != nil {
		t.Fatal(err)
	}
	why := map[string]string{}
	for _, f := range failed {
		why[f.Name] = f.Err.Error()
	}
	want := map[string]string{
		"BenchmarkFirst/bad": "it is broken", "BenchmarkLong": "twice is too often", "BenchmarkPanic": "no way out", "example.com/probe/notbuilt": "undefined: nothing",
	}
	for name, said := range want {
		if !strings.Contains(why[name], said) {
			t.Errorf("%s failed by %q, want one with %q", name, why[name], said)
		}
	}
	if len(failed) != len(want) {
		t.Errorf("failed %v, want %d of them", failed, len(want))
	}
}

// A run that is ended early returns the benchmarks that were recorded until then.
func recordKeepsWhatItHas(t *testing.T, dir string) {
	over := errors.New("over")
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	o := brief(dir)
	o.Procs, o.Rounds, o.Packages, o.Bench = []int{1}, 1, []string{"./failing"}, "First|Z"
	planned := 0
	o.Planned = func(benchmarks int, about time.Duration) {
		if planned = benchmarks; about <= 0 {
			t.Errorf("they take %v", about)
		}
	}
	o.Progress = func(_, _ int, what string) {
		if strings.HasPrefix(what, "BenchmarkZ, GOMAXPROCS") {
			cancel(over)
		}
	}
	all, failed, err := record.Record(ctx, o)
	if err != over || planned != 2 {
		t.Errorf("the error is %v, want the cause; %d benchmarks were to come, want 2", err, planned)
	}
	if len(all) != 1 || all[0].Name != "BenchmarkFirst/good" || len(failed) != 1 || failed[0].Name != "BenchmarkFirst/bad" {
		t.Errorf("recorded %+v, failed %v; want the first", all, failed)
	}
}

func recordEndsALongTrace(t *testing.T, dir string) {
	o := brief(dir)
	o.Procs, o.Rounds, o.Bench, o.Packages = []int{1}, 1, "Talks", []string{"./outside"}
	o = o.Briefly(100*time.Millisecond, 1)
	// On a busy machine the trace can be over before the benchmark is under way, or has
	// started a goroutine.
	var all []*evidence.Observation
	var err error
	for range 20 {
		all, err = recorded(o)
		if err == nil && len(all) == 1 && len(all[0].Points[0].Activity.Spawns) > 0 {
			break
		}
		if err != nil && !strings.Contains(err.Error(), "no benchmark has run in it") {
			break
		}
	}
	if err != nil || len(all) != 1 {
		t.Fatalf("there are %d observations, want one: %v", len(all), err)
	}
	got := all[0]
	p := got.Points[0]
	// The trace can be over before it is seen to be long.
	if cut := p.Activity.Cut; cut != (len(got.Notes) > 0 && strings.Contains(got.Notes[0], "trace was ended")) {
		t.Errorf("the trace was cut: %t, says the note %v", cut, got.Notes)
	}
	if len(p.Activity.Spawns) == 0 || p.Activity.Spawns[0].Goroutines <= 0 {
		t.Errorf("the trace says %+v", p.Activity.Spawns)
	}
}

func TestWrap(t *testing.T) {
	const text = `package main

import myos "os"

func main() {
	defer func() { recover() }()
	if len(myos.Args) > 1 {
		myos.Exit(f(1, 2))
	}
	type x struct{ Exit func(int) }
	os := x{}
	os.Exit(1)
}

func (t) main() {}
`
	want := strings.Replace(text, "func main()", "func "+dissect.Wrapped+"()", 1)
	want = strings.Replace(want, "myos.Exit(f(1, 2))", "myos.Exit("+dissect.Recorder+"Exit(f(1, 2)))", 1)
	got, main, err := record.Wrap(text)
	if err != nil || !main || got != want {
		t.Errorf("it is wrapped as (main %t, error %v)\n%s", main, err, got)
	}
	if got, main, err := record.Wrap("package main\n\nfunc f() {}\n"); err != nil || main || got != "package main\n\nfunc f() {}\n" {
		t.Errorf("a file without main is wrapped as (main %t, error %v)\n%s", main, err, got)
	}
	if _, _, err := record.Wrap("package"); err == nil || !strings.Contains(err.Error(), "main.go") {
		t.Errorf("what is not Go gives the error %v", err)
	}
}
