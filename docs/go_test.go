package docs_test

import (
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// Each block of Go stands in a Go file of the repository that is compiled
// everywhere, so that the tests of its module check it.
func TestGoBlocks(t *testing.T) {
	rerun.Skip(t)
	code := map[string]string{}
	each(t, ".go", func(path string, data []byte) {
		if source := string(data); !strings.Contains(source, "\n//go:build ") && !strings.HasPrefix(source, "//go:build ") {
			code[path] = "\n" + unindented(source)
		}
	})
	found := 0
	for _, p := range pages(t) {
		for _, b := range p.blocks {
			if b.language != "go" {
				continue
			}
			found++
			if !stands(b.code, code) {
				t.Errorf("%s:%d: this block of Go stands in no file that is compiled:\n%s", p.path, b.line, b.code)
			}
		}
	}
	if found == 0 {
		t.Error("no page has a block of Go")
	}
}

// stands reports whether a block is part of one of the files, or all of it if it
// has a package clause.
func stands(block string, files map[string]string) bool {
	want := "\n" + unindented(block)
	whole := strings.HasPrefix(want, "\npackage ")
	for _, file := range files {
		if whole && file == want || !whole && strings.Contains(file, want) {
			return true
		}
	}
	return false
}

// unindented drops the indentation of every line.
func unindented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimLeft(line, "\t "))
	}
	return b.String()
}

func TestStands(t *testing.T) {
	files := map[string]string{"a.go": "\npackage a\n\nfunc f() {\nx := 1\ng(x)\n}\n"}
	for block, want := range map[string]bool{
		"x := 1\ng(x)\n": true,
		"    x := 1\n":   true,
		":= 1\n":         false, // begins within a line
		"g(x\n":          false, // ends within a line
		"g(y)\n":         false,
		"package a\n":    false, // not all of it
		"package a\n\nfunc f() {\n\tx := 1\n\tg(x)\n}\n": true,
	} {
		if got := stands(block, files); got != want {
			t.Errorf("%q: got %t, want %t", block, got, want)
		}
	}
}
