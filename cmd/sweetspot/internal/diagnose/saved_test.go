package diagnose_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/diagnose"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/diagnose/evidence"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/diagnose/recording"
	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// pitfallCauses are what sweetspot diagnose, which runs the benchmarks of bench/pitfalls
// itself, names first of the bad form of each work.
var pitfallCauses = map[string]string{
	"falseshare/a-sum-for-each-worker":                           "falseshare",
	"shardpad/stripes-that-all-goroutines-use":                   "shardpad",
	"shardpad/stripes-that-one-goroutine-uses":                   "shardpad",
	"recspawn/quicksort":                                         "recspawn",
	"recspawn/fib(20)":                                           "recspawn",
	"chanitem/a-generator":                                       "chanitem",
	"chanitem/indices-for-workers":                               "chanitem",
	"chanitem/a-pipeline-of-three-stages":                        "chanitem",
	"chanarray/a-list":                                           "chanarray",
	"recspawn/a-tree-of-cheap-nodes":                             "recspawn",
	"unboundedgo/a-matrix-of-short-rows":                         "unboundedgo",
	"unboundedgo/lines-that-wait-10-ms,-with-a-buffer-of-16-KiB": "unboundedgo",
}

// Recordings of a benchmark by go test have the same first cause as sweetspot diagnose has
// that runs it.
func TestRecordingsOfPitfalls(t *testing.T) {
	if testing.Short() {
		t.Skip("it records twelve benchmarks")
	}
	rerun.Serial(t)
	if runtime.NumCPU() < 2 {
		t.Skip("with one CPU nothing is done at the same time")
	}
	bench, err := filepath.Abs("../../../../bench")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	binary := filepath.Join(dir, "pitfalls.exe")
	run := func(in, name string, args ...string) {
		t.Helper()
		c := exec.CommandContext(t.Context(), name, args...)
		c.Dir = in
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", c, err, out)
		}
	}
	run(bench, "go", "test", "-c", "-o", binary, "./pitfalls")
	static, err := diagnose.InspectSource(t.Context(), bench, []string{"./pitfalls"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, p := range pitfallForms(t, filepath.Join(bench, "pitfalls")) {
		check, work, form := p[0], p[1], p[2]
		if check == "maxprocs" { // which runs where the CPUs are limited
			continue
		}
		seen++
		want := pitfallCauses[check+"/"+work]
		name := fmt.Sprintf("Benchmark/check=%s/work=%s/form=%s", check, work, form)
		got := ""
		for try := 1; try <= 3 && got != want; try++ { // a moment in which others have the CPUs is no fault
			got = firstCause(t, run, binary, bench, filepath.Join(dir, "recorded"), name, static)
		}
		if got != want {
			t.Errorf("%s: the first cause is %q, want %q", name, got, want)
		}
	}
	if seen != len(pitfallCauses) {
		t.Errorf("there are %d works, want %d", seen, len(pitfallCauses))
	}
}

var (
	pitfallMade = regexp.MustCompile(`return pitfall\{"(\w+)", "([^"]+)"`)
	formMade    = regexp.MustCompile(`name: "([^"]+)"`)
)

// pitfallForms returns the check, the work and the bad form, which is the first, of each
// pitfall in a directory.
func pitfallForms(t *testing.T, dir string) (all [][3]string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	word := func(s []byte) string { return strings.ReplaceAll(string(s), " ", "-") }
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range pitfallMade.FindAllSubmatchIndex(text, -1) {
			form := "" // of maxprocs, which names none
			if f := formMade.FindSubmatch(text[m[1]:]); f != nil {
				form = word(f[1])
			}
			all = append(all, [3]string{word(text[m[2]:m[3]]), word(text[m[4]:m[5]]), form})
		}
	}
	return all
}

// firstCause records one benchmark as users do: the CPU profile by itself, since a trace
// shows in it.
func firstCause(t *testing.T, run func(in, name string, args ...string), binary, bench, dir, name string, static []diagnose.Static) string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	cpu, trace, mutex := filepath.Join(dir, "cpu.pprof"), filepath.Join(dir, "trace.out"), filepath.Join(dir, "mutex.pprof")
	parts := strings.Split(name, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	pattern := "-test.bench=" + strings.Join(parts, "/")
	in := filepath.Join(bench, "pitfalls")
	run(in, binary, "-test.run=^$", pattern, "-test.benchtime=150ms", "-test.cpuprofile="+cpu)
	run(in, binary, "-test.run=^$", pattern, "-test.benchtime=1x", "-test.trace="+trace, "-test.mutexprofile="+mutex)
	o, err := recording.Saved{Files: []string{mutex, trace, cpu}, Source: bench}.Observe()
	if err != nil {
		t.Fatal(err)
	}
	all := diagnose.Examine(o, static, 1)
	if len(all) == 0 {
		return ""
	}
	if err := schema(t).Validate(generic(t, diagnose.ReportOn([]*evidence.Observation{o}, static))); err != nil {
		t.Error(err)
	}
	if f := all[0]; filepath.Dir(f.Place.File) != in {
		return fmt.Sprintf("%s at %v", f.Check, f.Place)
	}
	return all[0].Check
}

// What is not a recording is refused, with what it is and what is wanted.
func TestFilesAreRefused(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, text []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	encoded := func(p *profile.Profile) []byte {
		var b bytes.Buffer
		if err := p.Write(&b); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	bare := func(types ...string) *profile.Profile {
		p := &profile.Profile{Location: []*profile.Location{{ID: 1, Address: 0x1000}}}
		p.Sample = []*profile.Sample{{Location: p.Location}}
		for _, name := range types {
			p.SampleType = append(p.SampleType, &profile.ValueType{Type: name, Unit: "count"})
			p.Sample[0].Value = append(p.Sample[0].Value, 1)
		}
		return p
	}
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	z.Write(bytes.Repeat([]byte("profile"), 1000))
	z.Close()
	for want, path := range map[string]string{
		"it is neither a profile nor an execution trace: want what":    file("text", []byte("what I did today\n")),
		"it is empty: the program":                                     file("empty", nil),
		"it is a profile as text, for people: record it without debug": file("people", []byte("goroutine profile: total 4\n")),
		"it is a web page: want a profile itself":                      file("page.html", []byte("<!DOCTYPE html>\n<html>")),
		"it is cut short": file("cut", zipped.Bytes()[:zipped.Len()-20]),
		"it is an execution trace of Go 1.21; those before 1.22": file("old", []byte("go 1.21 trace\x00\x00\x00")),
		"it is a profile of threadcreate: want one of the CPU":   file("threads", encoded(bare("threadcreate"))),
		"it has addresses, and no symbols: go tool pprof -proto": file("addresses", encoded(bare("samples", "cpu"))),
	} {
		if _, err := command(t, path); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %v, want one with %q", path, err, want)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	heap := file("heap", nil)
	writeHeap(t, heap)
	for want, args := range map[string][]string{
		"is a program: want recordings of it":                       {self},
		"is a file, and ./none is none":                             {heap, "./none"},
		"--rounds is for what diagnose runs":                        {"--rounds", "3", heap},
		"--keep is for what diagnose records":                       {"--keep", "x", heap},
		"--seconds and --source are for recordings":                 {"--seconds", "3", "./x"},
		"does not say how long it was recorded":                     {heap},
		"there are 2 arguments, and one is a URL":                   {"http://localhost:1", heap},
		"--base: open none":                                         {"--base", "none", heap},
		"text is neither a recording nor a report: want what sweet": {"--base", filepath.Join(dir, "text"), heap},
	} {
		if _, err := command(t, args...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", args, err, want)
		}
	}
}

func writeHeap(t *testing.T, path string) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	kept = make([]byte, 4<<20) // more than one sample
	runtime.GC()
	if err := pprof.Lookup("allocs").WriteTo(file, 0); err != nil {
		t.Fatal(err)
	}
}

var kept []byte

// pass hands over one number at a time, until end is closed.
func pass(end <-chan struct{}) {
	items := make(chan int)
	go func() {
		for i := 0; ; i++ {
			select {
			case items <- i:
			case <-end:
				close(items)
				return
			}
		}
	}()
	for range items {
	}
}

// A full disk does not cost the report.
func TestReportOnFullDisk(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip(err)
	}
	heap := filepath.Join(t.TempDir(), "heap")
	writeHeap(t, heap)
	out, err := command(t, "--seconds", "3", "--json", "/dev/full", heap)
	if err == nil || !strings.Contains(err.Error(), "--json: ") || out == "" {
		t.Errorf("error %v, printed %q, want the report and that --json failed", err, out)
	}
}

// A CPU profile alone, as most have it, names the cause, and says what it lacks.
func TestProfileAlone(t *testing.T) {
	rerun.Skip(t)
	path := filepath.Join(t.TempDir(), "cpu.pprof")
	found := func() (*evidence.Observation, []diagnose.Finding) {
		file, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if err := pprof.StartCPUProfile(file); err != nil {
			t.Skip("somebody else takes a CPU profile: ", err)
		}
		end := make(chan struct{})
		time.AfterFunc(400*time.Millisecond, func() { close(end) })
		pass(end)
		pprof.StopCPUProfile()
		o, err := recording.Saved{Files: []string{path}, Source: filepath.Dir(path)}.Observe()
		if err != nil {
			t.Fatal(err)
		}
		return o, diagnose.Examine(o, nil, 1)
	}
	o, all := found()
	for try := 1; try < 5 && len(all) == 0; try++ { // others may have the CPUs
		o, all = found()
	}
	if len(all) == 0 || all[0].Check != "chanitem" || !strings.HasSuffix(all[0].Place.Func, "diagnose_test.pass.func1") && !strings.HasSuffix(all[0].Place.Func, "diagnose_test.pass") {
		t.Fatalf("found %+v, want a hand-over in pass", all)
	}
	if f := all[0]; f.CPU <= 0 || f.Share <= 0 || f.Share > 1 || !strings.Contains(f.Remedy, "MapSeq") {
		t.Errorf("it costs %g s of CPU time, %g could be won; remedy %q", f.CPU, f.Share, f.Remedy)
	}
	if o.Per != evidence.Second || o.Seconds < 0.3 || !slices.ContainsFunc(o.Notes, func(n string) bool { return strings.Contains(n, "without a trace") }) {
		t.Errorf("recorded for %g s, per %s; notes %q", o.Seconds, o.Per, o.Notes)
	}
}
