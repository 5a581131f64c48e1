package recording_test

import (
	"os"
	"path/filepath"
	"runtime"
	"runtime/trace"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/diagnose/evidence"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/diagnose/recording"
)

// Programs are built elsewhere, and without directories.
func TestSourceIsFound(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"a.go", "cmd/tool/main.go", "in/b.go"} {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ fn, file, want string }{
		{"example.com/m.F", "/build/m/a.go", "a.go"},
		{"example.com/m/in.F", "/go/pkg/mod/example.com/m@v1.2.3/in/b.go", "in/b.go"},
		{"example.com/m/in.F", "example.com/m/in/b.go", "in/b.go"},
		{"example.com/m/in.F", "example.com/m@v1.2.3/in/b.go", "in/b.go"},
		{"main.main", "/home/me/m/cmd/tool/main.go", "cmd/tool/main.go"},
		{"example.com/m/in.F", "/build/m/in/gone.go", ""},
		{"example.com/other/in.F", "/build/other/in/b.go", ""},
	} {
		want := filepath.FromSlash(c.file)
		if c.want != "" {
			want = filepath.Join(root, filepath.FromSlash(c.want))
		}
		if got := recording.Found(root, "example.com/m", c.fn, c.file); got != want {
			t.Errorf("%s of %s is in %s, want %s", c.fn, c.file, got, want)
		}
	}
}

// GOMAXPROCS is what a trace says, whatever --procs is for those that do not.
func TestTraceSaysProcs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.out")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := trace.Start(file); err != nil {
		t.Skip("somebody else takes a trace: ", err)
	}
	trace.Stop()
	o, err := recording.Saved{Files: []string{path}, Source: filepath.Dir(path), Procs: 64}.Observe()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := o.Largest().Procs, runtime.GOMAXPROCS(0); got != want {
		t.Errorf("%d procs, want the %d that the trace says", got, want)
	}
}

// saved writes a profile with one sample, in one function; with none if the amount is 0.
func saved(t *testing.T, duration time.Duration, amount int64, types ...*profile.ValueType) string {
	t.Helper()
	f := &profile.Function{ID: 1, Name: "example.com/m.f", Filename: "/m/f.go"}
	l := &profile.Location{ID: 1, Line: []profile.Line{{Function: f, Line: 3}}}
	p := &profile.Profile{
		SampleType: types, DurationNanos: duration.Nanoseconds(),
		Sample:   []*profile.Sample{{Location: []*profile.Location{l}}},
		Location: []*profile.Location{l}, Function: []*profile.Function{f},
	}
	for range types {
		p.Sample[0].Value = append(p.Sample[0].Value, amount)
	}
	if amount == 0 {
		p.Sample = nil
	}
	path := filepath.Join(t.TempDir(), "saved.pprof")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := p.Write(file); err != nil {
		t.Fatal(err)
	}
	return path
}

// Several profiles of one kind are of one second, and of one moment, together.
func TestSeveralOfAKind(t *testing.T) {
	goroutines := &profile.ValueType{Type: "goroutine", Unit: "count"}
	leaks := &profile.ValueType{Type: "goroutineleak", Unit: "count"}
	waits := []*profile.ValueType{{Type: "contentions", Unit: "count"}, {Type: "delay", Unit: "nanoseconds"}}
	observe := func(s recording.Saved) (*evidence.Observation, *evidence.Point) {
		t.Helper()
		s.Source = t.TempDir()
		o, err := s.Observe()
		if err != nil {
			t.Fatal(err)
		}
		return o, o.Largest()
	}
	_, p := observe(recording.Saved{Files: []string{saved(t, 0, 100, goroutines), saved(t, 0, 300, goroutines), saved(t, 0, 7, leaks), saved(t, 0, 9, leaks)}})
	if g, l := p.Goroutines.All.Count, p.Leaks.All.Count; g != 200 || l != 8 {
		t.Errorf("%g goroutines and %g leaks, want the mean of the moments, 200 and 8", g, l)
	}
	// That nothing has leaked is an answer.
	o, p := observe(recording.Saved{Files: []string{saved(t, 0, 0, leaks)}})
	if p.Leaks == nil || p.Leaks.All.Count != 0 || slices.ContainsFunc(o.Notes, func(n string) bool { return strings.Contains(n, "without a sample") }) {
		t.Errorf("leaks %+v, notes %q; want none of both", p.Leaks, o.Notes)
	}
	ten, all := saved(t, 10*time.Second, 20, waits...), saved(t, 0, 9000, waits...)
	o, p = observe(recording.Saved{Files: []string{ten, all}})
	if got := p.Block.All.Count; got != 2 || !slices.ContainsFunc(o.Notes, func(n string) bool { return strings.Contains(n, "left out") }) {
		t.Errorf("%g waits a second, want 2, of the profile that says how long it was recorded; notes %q", got, o.Notes)
	}
	if _, p = observe(recording.Saved{Files: []string{ten, all}, Seconds: 100}); p.Block.All.Count != 82 {
		t.Errorf("%g waits a second, want 82, of 10 s and 100 s", p.Block.All.Count)
	}
}
