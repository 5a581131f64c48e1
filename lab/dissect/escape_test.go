package dissect_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/lab/dissect"
)

func needsGo(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command")
	}
}

func TestEscapesOfTheStandardLibrary(t *testing.T) {
	needsGo(t)
	e, err := dissect.Escapes(context.Background(), []dissect.Source{{Name: "work.go", Text: []byte(`package work

import "strconv"

func leaves() *int {
	x := 3
	return &x
}

func stays() int {
	b := make([]byte, 8)
	return len(strconv.AppendInt(b[:0], 7, 10))
}

var kept []byte

func keep(b []byte) { kept = b }

func handsOver() { keep(make([]byte, 8)) }
`)}}, nil)
	if err != nil || e.Missing != "" {
		t.Fatal(err, e)
	}
	if !strings.HasPrefix(e.Compiler, "go1.") {
		t.Errorf("the compiler is %q", e.Compiler)
	}
	found := map[string]dissect.Escape{}
	for _, x := range e.Escapes {
		found[x.Func] = x
	}
	if x := found["leaves"]; x.Site != "work.go:6" || !strings.Contains(x.What, "x escapes to heap") || !strings.Contains(strings.Join(x.Why, "; "), "return &x (return) at work.go:7") {
		t.Errorf("leaves: %+v", x)
	}
	if x := found["handsOver"]; x.Site != "work.go:19" || !strings.Contains(x.What, "make([]byte, 8) escapes") {
		t.Errorf("handsOver: %+v", x)
	}
	if x, ok := found["stays"]; ok {
		t.Errorf("stays: %+v", x)
	}
}

// A buffer that is handed to a module that this one requires.
func TestEscapesThroughAModule(t *testing.T) {
	needsGo(t)
	const path = "github.com/spaolacci/murmur3"
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(path + ` (v\S+)`).FindSubmatch(mod)
	if version == nil {
		t.Fatalf("go.mod does not require %s", path)
	}
	source := []dissect.Source{{Name: "work.go", Text: []byte("package work\n\nimport \"" + path + "\"\n\nfunc work() uint64 {\n\tb := make([]byte, 8)\n\treturn murmur3.Sum64(b)\n}\n")}}
	e, err := dissect.Escapes(context.Background(), source, []*debug.Module{{Path: path, Version: string(version[1])}})
	if err != nil || e.Missing != "" {
		t.Fatal(err, e)
	}
	if len(e.Escapes) != 1 || e.Escapes[0].Site != "work.go:6" || len(e.Escapes[0].Why) < 1 ||
		!strings.Contains(strings.Join(e.Escapes[0].Why, "; "), "murmur3.Sum64") {
		t.Errorf("the escapes are %+v, want the buffer, and the call that it leaves by", e.Escapes)
	}
}

func TestEscapesSaysWhatIsMissing(t *testing.T) {
	std := []dissect.Source{{Name: "work.go", Text: []byte("package work\n")}}
	foreign := []dissect.Source{{Name: "work.go", Text: []byte("package work\n\nimport _ \"example.org/m/p\"\n")}}
	none := t.TempDir()
	for _, c := range []struct {
		name    string
		path    string // PATH, if it matters
		sources []dissect.Source
		modules []*debug.Module
		want    string
	}{
		{name: "no source", want: "no source"},
		{name: "no go command", path: none, sources: std, want: "go command, which is not on the PATH"},
		{name: "broken source", sources: []dissect.Source{{Name: "work.go", Text: []byte("package work\n\nfunc f() int {}\n")}}, want: "missing return"},
		{name: "unknown module", sources: foreign, want: "cannot find module providing package example.org/m/p"},
		{name: "not in the cache", sources: foreign, modules: []*debug.Module{{Path: "example.org/m", Version: "v1.2.3"}}, want: "module cache with example.org/m v1.2.3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.path != "" {
				t.Setenv("PATH", c.path)
			} else {
				needsGo(t)
			}
			e, err := dissect.Escapes(context.Background(), c.sources, c.modules)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(e.Missing, c.want) || len(e.Escapes) != 0 {
				t.Errorf("it says %q, want %q", e.Missing, c.want)
			}
		})
	}
}

func TestEscapesStops(t *testing.T) {
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(enough)
	if _, err := dissect.Escapes(ctx, []dissect.Source{{Name: "work.go", Text: []byte("package work\n")}}, nil); !errors.Is(err, enough) {
		t.Errorf("the error is %v", err)
	}
}
