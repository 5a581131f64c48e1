package semaphore

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// schedulePackage is what limit gets its atomics, mutex and channels from.
const schedulePackage = "github.com/sweetspot-go/sweetspot/acceptance/semaphore/schedule"

// rewrites put limit under the control of the package schedule.
var rewrites = []struct{ from, to string }{
	{`(?m)^\t"sync"$`, "\tsync \"" + schedulePackage + `"`},
	{`(?m)^\t"sync/atomic"$`, "\tatomic \"" + schedulePackage + `"`},
	{`(?m)^\ts\.mustBeMade\(\)\n`, ""}, // it reads only, and says only whether there was a New
	{`select \{\s*case <-([\w.]+):(\s[^{}]*)case <-([\w.]+):`, "switch schedule.Select($1, $3) {\ncase 0:${2}case 1:"},
	{`make\(chan struct\{\}, 1\)`, "schedule.Make()"},
	{`len\(ready\)`, "schedule.Len(ready)"},
	{`([\w.]+) <- struct\{\}\{\}`, "schedule.Send($1)"},
	{`(?m)^(\t+)<-([\w.]+)`, "${1}schedule.Recv($2)"},
}

// guarded is added to limit: what the mutex of a Semaphore guards, as far as it decides
// anything or is told.
const guarded = `package limit

import "` + schedulePackage + `"

func (s *Semaphore) Guarded() uint64 {
	h := uint64(s.folded)
	for w := s.queue.head; w != nil; w = w.next {
		h = schedule.Mix(h, schedule.Owner(w.ready))
	}
	return h
}

func (w waiter) Name() uint64 { return schedule.Owner(w.ready) }
`

// overlay writes limit, rewritten and with all mutants, into dir, and returns the file
// that has go build use it in place of the original.
func overlay(t *testing.T, dir string) string {
	t.Helper()
	const source = "../../limit"
	names, err := filepath.Glob(filepath.Join(source, "*.go"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no sources of limit in %s: %v", source, err)
	}
	replaced := map[string]string{}
	write := func(name, text string) {
		original, err := filepath.Abs(name)
		if err != nil {
			t.Fatal(err)
		}
		replaced[original] = filepath.Join(dir, filepath.Base(name))
		if err := os.WriteFile(replaced[original], []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	applied := make([]int, len(mutants))
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text := mutated(string(b), filepath.Base(name), applied)
		for _, r := range rewrites {
			text = regexp.MustCompile(r.from).ReplaceAllString(text, r.to)
		}
		if strings.Contains(text, "schedule.") {
			text = strings.Replace(text, "package limit\n", "package limit\n\nimport \""+schedulePackage+"\"\n", 1)
		}
		allControlled(t, name, text)
		write(name, text)
	}
	write(filepath.Join(source, "guarded.go"), guarded)
	for i, n := range applied {
		if n != 1 {
			t.Errorf("the mutant %q fits %d places of %s, want 1: the code has changed", mutants[i].name, n, mutants[i].file)
		}
	}
	b, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, b, 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// mutated puts the mutants of a file into its text. Which of them are wrong is decided
// when it runs.
func mutated(text, file string, applied []int) string {
	for i, m := range mutants {
		if m.file != file {
			continue
		}
		applied[i] += strings.Count(text, m.right)
		wrong := strings.ReplaceAll(m.wrong, "wrong", fmt.Sprintf("schedule.Wrong(%d)", i+1))
		text = strings.Replace(text, m.right, wrong, 1)
	}
	return text
}

// allControlled fails if anything is left in the text that the schedule does not control.
func allControlled(t *testing.T, name, text string) {
	t.Helper()
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, name, text, 0)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	for _, i := range f.Imports {
		if i.Path.Value == `"sync"` || i.Path.Value == `"sync/atomic"` {
			t.Errorf("%s still imports %s", name, i.Path.Value)
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		u, isUnary := n.(*ast.UnaryExpr)
		switch n.(type) {
		case *ast.SendStmt, *ast.SelectStmt, *ast.GoStmt:
		default:
			if !isUnary || u.Op != token.ARROW {
				return true
			}
		}
		var b strings.Builder
		format.Node(&b, set, n)
		t.Errorf("%s has a step that no rewrite knows: %s", name, b.String())
		return true
	})
}
