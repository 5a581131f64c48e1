package vetcmd_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/vetcmd"
)

// Of fixes that touch the same text the first counts; an edit that several of them
// have in common is made once.
func TestMend(t *testing.T) {
	const src = "package p\n\nvar a, b, c = 1, 2, 3\n"
	name := filepath.Join(t.TempDir(), "p.go")
	if err := os.WriteFile(name, []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	change := func(old, new string) vetcmd.Edit {
		at := strings.Index(src, old)
		return vetcmd.Edit{File: name, Start: at, End: at + len(old), New: new}
	}
	fix := func(edits ...vetcmd.Edit) vetcmd.Finding {
		return vetcmd.Finding{Fixes: []vetcmd.Fix{{Edits: edits}, {Edits: []vetcmd.Edit{change("package", "wrong")}}}}
	}
	files, applied, left, err := vetcmd.ApplyFixes([]vetcmd.Finding{
		fix(change("2", "20"), change("a,", "a1,")),
		{}, // nothing to fix mechanically
		fix(change("3", "30"), change("a,", "a1,")),
		fix(change("c = 1", "c = 10")),
		fix(change("1,", "100,")),
		fix(change("b,", "b1,"), change("1, 2", "0, 0")),
	})
	if err != nil {
		t.Fatal(err)
	}
	const want = "package p\n\nvar a1, b, c = 10, 20, 30\n"
	if len(files) != 1 || files[0].Content() != want || applied != 3 || left != 2 {
		t.Errorf("%d files, %d applied, %d left; want 1, 3, 2:\n%s", len(files), applied, left, files[0].Content())
	}

	if _, _, _, err := vetcmd.ApplyFixes([]vetcmd.Finding{fix(change("var", "func"))}); err == nil || !strings.Contains(err.Error(), "the fix does not compile") {
		t.Errorf("a fix that does not compile: %v", err)
	}
	if _, _, _, err := vetcmd.ApplyFixes([]vetcmd.Finding{fix(vetcmd.Edit{File: name, Start: 3, End: 1000})}); err == nil || !strings.Contains(err.Error(), "has changed") {
		t.Errorf("a file that has become shorter: %v", err)
	}
}

// An import goes with the last line that used it, and with no other.
func TestTidied(t *testing.T) {
	const old = `package p

import (
	"fmt"
	. "math"
	_ "net/http/pprof"
	"runtime"
	other "runtime/debug"

	"gopkg.in/yaml.v3"
)

func f() {
	runtime.GOMAXPROCS(runtime.NumCPU())
	other.FreeOSMemory()
	fmt.Println(Pi, yaml.Kind(0))
}
`
	changed := strings.NewReplacer("\truntime.GOMAXPROCS(runtime.NumCPU())\n", "", "\tother.FreeOSMemory()\n", "", ", yaml.Kind(0)", "").Replace(old)
	got, err := vetcmd.Tidied("p.go", []byte(old), []byte(changed))
	if err != nil {
		t.Fatal(err)
	}
	const want = `package p

import (
	"fmt"
	. "math"
	_ "net/http/pprof"

	"gopkg.in/yaml.v3"
)

func f() {
	fmt.Println(Pi)
}
`
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
