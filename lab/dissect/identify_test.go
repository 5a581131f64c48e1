package dissect_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/sweetspot-go/sweetspot/lab/dissect"
)

func TestIdentify(t *testing.T) {
	user := at("m.F", "/u/f.go", 7)
	of := func(leaf string) sample {
		return sample{3, 30, []dissect.Place{at(leaf, "/go/src/x.go", 1), user}}
	}
	for _, c := range []struct {
		path string
		want dissect.Instrument
	}{
		{written(t, "samples", "cpu", of("runtime.chansend")), dissect.CPU},
		{written(t, "alloc_objects", "alloc_space", of("runtime.mallocgc")), dissect.Allocs},
		{written(t, "contentions", "delay", of("sync.(*Mutex).Unlock"), of("sync.(*RWMutex).RUnlock"), of("runtime.chansend")), dissect.Mutex},
		{written(t, "contentions", "delay", of("sync.(*Mutex).Lock"), of("runtime.chanrecv1"), of("sync.(*Mutex).Unlock")), dissect.Block},
		{written(t, "goroutine", "goroutine", of("runtime.gopark")), dissect.Goroutines},
		{traced(t, 1, func(int) { runtime.Gosched() })[0], dissect.Trace},
	} {
		i, err := dissect.Identify(c.path)
		if err != nil || i.Instrument != c.want || i.Empty {
			t.Errorf("it is %q (%v), want %s", i.Instrument, err, c.want)
		}
		if c.want != dissect.Trace && (!i.Of("m", "") || !i.Of("n", "/u") || i.Of("n", "/v") || i.Of("me", "")) {
			t.Errorf("%s: it is of another module", c.want)
		}
		if c.want == dissect.Trace && (!i.Of("github.com/sweetspot-go/sweetspot/lab", "") || i.Of("spot-go/sweetspot/lab", "/none")) {
			t.Error("the trace is of another module")
		}
	}
	if i, err := dissect.Identify(written(t, "samples", "cpu")); err != nil || !i.Empty {
		t.Errorf("a profile without samples: %+v, %v", i, err)
	}
	if _, err := dissect.Identify(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a file that is not there is one")
	}
}

// A trace has strings behind a byte that says how long they are, and that may be a letter.
func TestModuleOfATrace(t *testing.T) {
	const module = "example.com/a/b"
	file := filepath.Join(t.TempDir(), "trace.out")
	for _, c := range []struct {
		name string
		want bool
	}{
		{module + ".F", true}, {module + "/c.(*T).F", true}, {"slices.Sort[" + module + ".T]", true},
		{module + "c.F", false}, {module, false}, {"x." + module + ".F", false},
	} {
		for length := len(c.name); length < 130; length++ {
			name := c.name + strings.Repeat("1", length-len(c.name))
			text := append([]byte("go 1.26 trace\x00\x05\x07"), binary.AppendUvarint(nil, uint64(length))...)
			if err := os.WriteFile(file, append(append(text, name...), "\x05\x08\x01F"...), 0o666); err != nil {
				t.Fatal(err)
			}
			if i, err := dissect.Identify(file); err != nil || i.Of(module, "") != c.want {
				t.Errorf("a trace with %s of %d letters is of the module: %t (%v), want %t", c.name, length, !c.want, err, c.want)
				break
			}
		}
	}
}

// What is in the form of a profile may have lines of functions that it does not have.
func TestIdentifyRefusesAMalformedProfile(t *testing.T) {
	l := &profile.Location{ID: 1, Line: []profile.Line{{Line: 7}}}
	p := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "contentions", Unit: "count"}, {Type: "delay", Unit: "nanoseconds"}},
		Sample:     []*profile.Sample{{Value: []int64{1, 1}, Location: []*profile.Location{l}}},
		Location:   []*profile.Location{l},
	}
	var text bytes.Buffer
	if err := p.WriteUncompressed(&text); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "mutex.pprof")
	if err := os.WriteFile(name, text.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	if i, err := dissect.Identify(name); err == nil || !strings.Contains(err.Error(), "neither a profile") {
		t.Errorf("it is %+v, error %v; want that it is none", i, err)
	}
}

// The trace says GOMAXPROCS where nobody else does.
func TestProcsOfATrace(t *testing.T) {
	a, err := dissect.Tracing{Files: traced(t, 1, func(int) { runtime.Gosched() })}.Activity(nil)
	if err != nil || a.Procs != runtime.GOMAXPROCS(0) {
		t.Errorf("GOMAXPROCS is %d by the trace (%v), want %d", a.Procs, err, runtime.GOMAXPROCS(0))
	}
}

func TestScopeOfAModule(t *testing.T) {
	user := dissect.Scope{"example.com/a.b"}
	for fn, want := range map[string]bool{
		"example.com/a.b.F": true, "example.com/a%2eb.F": true, "example.com/a.b/c.(*T).F.func1": true, "example.com/a.b_test.F": true, "main.main": true,
		"example.com/a.bc.F": false, "example.com/a.F": false, "strings.Cut": false, "runtime.main": false,
	} {
		if got := user.Has(dissect.Place{Func: fn, File: "x.go"}); got != want {
			t.Errorf("%s is the user's: %t, want %t", fn, got, want)
		}
	}
}
