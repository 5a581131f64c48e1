package vetcmd_test

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/txtar"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/vetcmd"
)

// module writes the files of an archive into a directory, with a go.mod.
func module(t *testing.T, archive string) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "")
	a := txtar.Parse([]byte(archive))
	if len(a.Files) == 0 {
		t.Fatal("no files in the archive")
	}
	for _, f := range append(a.Files, txtar.File{Name: "go.mod", Data: []byte("module example.org/m\n\ngo 1.26\n")}) {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// marked is the fact that a function, or one that it calls, is called Mark.
type marked struct{ By string }

func (*marked) AFact() {}

var marks = &analysis.Analyzer{
	Name:      "marks",
	Doc:       "find functions that reach Mark",
	URL:       "https://example.org/marks",
	FactTypes: []analysis.Fact{new(marked)},
	Run: func(p *analysis.Pass) (any, error) {
		for _, file := range p.Files {
			for _, decl := range file.Decls {
				f, ok := decl.(*ast.FuncDecl)
				if !ok {
					continue
				}
				obj := p.TypesInfo.Defs[f.Name]
				by := ""
				if f.Name.Name == "Mark" {
					by = "itself"
				}
				ast.Inspect(f, func(node ast.Node) bool {
					if id, ok := node.(*ast.Ident); ok && by == "" {
						var fact marked
						if callee, ok := p.TypesInfo.Uses[id].(*types.Func); ok && p.ImportObjectFact(callee, &fact) {
							by = callee.FullName()
						}
					}
					return true
				})
				if by == "" {
					continue
				}
				p.ExportObjectFact(obj, &marked{by})
				p.Reportf(f.Name.Pos(), "%s by %s", f.Name.Name, by)
			}
		}
		return nil, nil
	},
}

const chain = `
-- low/low.go --
package low

func Mark() {}
-- other/other.go --
package other

func Mark() {}
-- mid/mid.go --
package mid

import "example.org/m/low"

type T struct{}

func (*T) Call() { low.Mark() }
-- top.go --
package m

import "example.org/m/mid"

func top() { new(mid.T).Call() }
`

func TestFacts(t *testing.T) {
	dir := module(t, chain)
	r, err := vetcmd.Check(t.Context(), vetcmd.Request{Dir: dir, Patterns: []string{"./..."}, Analyzers: []*analysis.Analyzer{marks}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range r.Findings {
		got = append(got, f.Package+" "+f.Function+": "+f.Message)
	}
	// Facts are those of packages that are imported, directly or not: top sees low's
	// and mid's, and not other's.
	want := []string{
		"example.org/m/low Mark: Mark by itself",
		"example.org/m/mid (*T).Call: Call by example.org/m/low.Mark",
		"example.org/m/other Mark: Mark by itself",
		"example.org/m top: top by (*example.org/m/mid.T).Call",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if r.Packages != 4 || len(r.Broken) != 0 {
		t.Errorf("%d packages, broken %v; want 4 and none", r.Packages, r.Broken)
	}

	// The same findings if only one package is asked for: the others are looked at
	// for their facts.
	r, err = vetcmd.Check(t.Context(), vetcmd.Request{Dir: dir, Analyzers: []*analysis.Analyzer{marks}})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Findings) != 1 || r.Packages != 1 || !strings.HasPrefix(want[3], "example.org/m top: "+r.Findings[0].Message) {
		t.Errorf("of one package: %+v; want %s", r, want[3])
	}
}

// A package that cannot be looked at keeps nobody from looking at the others.
func TestBroken(t *testing.T) {
	dir := module(t, `
-- good/good.go --
package good

func Mark() {}
-- syntax/syntax.go --
package syntax

func {
-- types/types.go --
package types

func f() int { return "" }
-- above/above.go --
package above

import (
	"example.org/m/good"
	"example.org/m/types"
)

func call() { good.Mark(); types.Nothing() }
-- missing/missing.go --
package missing

import _ "example.org/m/nowhere"
-- panics/panics.go --
package panics
`)
	bad := &analysis.Analyzer{
		Name: "bad",
		Doc:  "panic at one package",
		Run: func(p *analysis.Pass) (any, error) {
			if p.Pkg.Name() == "panics" {
				panic("at the disco")
			}
			return nil, nil
		},
	}
	r, err := vetcmd.Check(t.Context(), vetcmd.Request{Dir: dir, Patterns: []string{"./..."}, Analyzers: []*analysis.Analyzer{marks, bad}})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Findings) != 1 || r.Findings[0].Package != "example.org/m/good" {
		t.Errorf("findings %+v; want that of good alone", r.Findings)
	}
	want := map[string]string{
		"above":   "undefined: types.Nothing",
		"missing": "example.org/m/nowhere",
		"panics":  "bad: panic: at the disco",
		"syntax":  "expected",
		"types":   "cannot use",
	}
	for _, b := range r.Broken {
		name := strings.TrimPrefix(b.Package, "example.org/m/")
		if w := want[name]; w == "" || !strings.Contains(b.Err.Error(), w) {
			t.Errorf("%s: %v; want an error about %q", b.Package, b.Err, w)
		}
		delete(want, name)
	}
	if len(want) > 0 {
		t.Errorf("nothing was said of %v", want)
	}
}

// A package with C code is looked at without a C compiler.
func TestC(t *testing.T) {
	dir := module(t, `
-- c.go --
package m

// int f(void);
import "C"

type T struct { c C.struct_s; p *C.char }

func Mark() int { return int(C.f()) + len(C.GoString(T{}.p)) + *C.g(nil) }
-- f.c --
this is not C
`)
	t.Setenv("CGO_ENABLED", "1")
	r, err := vetcmd.Check(t.Context(), vetcmd.Request{Dir: dir, Analyzers: []*analysis.Analyzer{marks}})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Findings) != 1 || r.Findings[0].Line != 8 || r.Findings[0].Column != 6 || len(r.Broken) > 0 {
		t.Errorf("%+v; want one finding at 8:6", r)
	}
}

func TestCheckFails(t *testing.T) {
	dir := module(t, chain)
	cancelled, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	cancel(enough)
	if _, err := vetcmd.Check(cancelled, vetcmd.Request{Dir: dir}); !errors.Is(err, enough) {
		t.Errorf("a cancelled Check returns %v, want its cause", err)
	}
	if _, err := vetcmd.Check(t.Context(), vetcmd.Request{Dir: dir, Patterns: []string{"example.org/m/nothing/..."}}); err == nil || !strings.Contains(err.Error(), "no packages match") {
		t.Errorf("a pattern that nothing matches: %v", err)
	}
	const outside = "vet: ./nosuch: want packages that the go command finds, such as ./... in a module: go: go.mod file not found"
	if _, err := vetcmd.Check(t.Context(), vetcmd.Request{Dir: t.TempDir(), Patterns: []string{"./nosuch"}}); err == nil || !strings.HasPrefix(err.Error(), outside) {
		t.Errorf("outside of a module: %v", err)
	}
	t.Setenv("PATH", dir)
	if _, err := vetcmd.Check(t.Context(), vetcmd.Request{Dir: dir}); err == nil || !strings.Contains(err.Error(), "go command") {
		t.Errorf("without a go command: %v", err)
	}
}

// With tests a package is loaded twice. It counts once, and so do its findings.
func TestTests(t *testing.T) {
	dir := module(t, `
-- a.go --
package m

func Mark() {}
-- a_test.go --
package m

func caller() { Mark() }
-- b_test.go --
package m_test

import "example.org/m"

func outside() { m.Mark() }
`)
	for _, tests := range []bool{false, true} {
		r, err := vetcmd.Check(t.Context(), vetcmd.Request{Dir: dir, Tests: tests, Analyzers: []*analysis.Analyzer{marks}})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range r.Findings {
			got = append(got, fmt.Sprintf("%s:%d %s", filepath.Base(f.File), f.Line, f.Function))
		}
		want, packages, lines := []string{"a.go:3 Mark"}, 1, 3
		if tests {
			want, packages, lines = append(want, "a_test.go:3 caller", "b_test.go:5 outside"), 2, 3+3+5
		}
		if r.Packages != packages || r.Lines != lines {
			t.Errorf("tests %v: %d packages of %d lines, want %d of %d", tests, r.Packages, r.Lines, packages, lines)
		}
		if !slices.Equal(got, want) {
			t.Errorf("tests %v: %v, want %v; broken: %v", tests, got, want, r.Broken)
		}
	}
}

// A package is checked with its tests and without. Each finding and each error is reported once,
// even if its text differs. If only the tests do not compile, the rest is still checked.
func TestToldOnce(t *testing.T) {
	counts := &analysis.Analyzer{
		Name: "counts",
		Doc:  "count files",
		Run: func(p *analysis.Pass) (any, error) {
			p.Reportf(p.Files[0].Name.Pos(), "%d files", len(p.Files))
			return nil, nil
		},
	}
	dir := module(t, `
-- both/both.go --
package both
-- both/both_test.go --
package both
-- outside/outside.go --
package outside
-- outside/outside_test.go --
package outside_test

import _ "example.org/m/both"
-- test/test.go --
package test
-- test/test_test.go --
package test

func f() int { return "" }
-- wrong/wrong.go --
package wrong

func f() int { return "" }
-- wrong/wrong_test.go --
package wrong
`)
	r, err := vetcmd.Check(t.Context(), vetcmd.Request{Dir: dir, Patterns: []string{"./..."}, Tests: true, Analyzers: []*analysis.Analyzer{counts}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range r.Findings {
		got = append(got, f.Package+": "+f.Message)
	}
	want := []string{
		"example.org/m/both: 2 files",
		"example.org/m/outside: 1 files",
		"example.org/m/outside_test: 1 files",
		"example.org/m/test: 1 files",
	}
	if !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
	if len(r.Broken) != 2 || r.Broken[0].Package != "example.org/m/test" || r.Broken[1].Package != "example.org/m/wrong" {
		t.Errorf("broken: %v; want test and wrong, once each", r.Broken)
	}
}

// A finding stays if a check reports it without the tests only.
func TestToldWithoutTests(t *testing.T) {
	dir := module(t, `
-- both.go --
package both
-- both_test.go --
package both
`)
	for _, wrong := range []error{nil, errors.New("too many files")} {
		few := &analysis.Analyzer{
			Name: "few",
			Doc:  "find single files",
			Run: func(p *analysis.Pass) (any, error) {
				if len(p.Files) > 1 {
					return nil, wrong
				}
				p.Reportf(p.Files[0].Name.Pos(), "a single file")
				return nil, nil
			},
		}
		r, err := vetcmd.Check(t.Context(), vetcmd.Request{Dir: dir, Tests: true, Analyzers: []*analysis.Analyzer{few}})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Findings) != 1 || r.Findings[0].Message != "a single file" || (len(r.Broken) > 0) != (wrong != nil) {
			t.Errorf("with tests %v: found %+v, broken %v", wrong, r.Findings, r.Broken)
		}
	}
}

// A program in a directory that is called like those that go test writes is looked at.
func TestProgramCalledTest(t *testing.T) {
	dir := module(t, `
-- load.test/main.go --
package main

func main() {}

func Mark() {}
-- only/only_test.go --
package only

func Mark() {}
-- outside/outside_test.go --
package outside_test

func Mark() {}
`)
	for _, tests := range []bool{false, true} {
		r, err := vetcmd.Check(t.Context(), vetcmd.Request{Dir: dir, Patterns: []string{"./..."}, Tests: tests, Analyzers: []*analysis.Analyzer{marks}})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range r.Findings {
			got = append(got, f.Package+": "+f.Message)
		}
		want := []string{"example.org/m/load.test: Mark by itself"}
		if tests {
			want = append(want, "example.org/m/only: Mark by itself", "example.org/m/outside_test: Mark by itself")
		}
		if !slices.Equal(got, want) || len(r.Broken) > 0 {
			t.Errorf("tests %t: found %q, broken %v; want %q", tests, got, r.Broken, want)
		}
	}
}

// A comment that says where a line is from says nothing of its columns.
func TestColumnOfMade(t *testing.T) {
	dir := module(t, `
-- m.go --
package m

//line m.y:10
func Mark() {}
`)
	r, err := vetcmd.Check(t.Context(), vetcmd.Request{Dir: dir, Analyzers: []*analysis.Analyzer{ends}})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Findings) != 1 {
		t.Fatalf("found %+v, want one finding", r.Findings)
	}
	if f := r.Findings[0]; f.Line != 10 || f.Column != 6 || f.EndLine != 10 || f.EndColumn != 10 {
		t.Errorf("found from %d:%d to %d:%d, want from 10:6 to 10:10", f.Line, f.Column, f.EndLine, f.EndColumn)
	}
}

// ends finds functions, each with the end of its name.
var ends = &analysis.Analyzer{
	Name: "ends",
	Doc:  "find functions",
	URL:  "https://example.org/ends",
	Run: func(p *analysis.Pass) (any, error) {
		for _, file := range p.Files {
			for _, decl := range file.Decls {
				if f, ok := decl.(*ast.FuncDecl); ok {
					p.ReportRangef(f.Name, "%s", f.Name.Name)
				}
			}
		}
		return nil, nil
	},
}
