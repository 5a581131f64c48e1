package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// repository is where the modules lie, seen from this one.
const repository = ".."

// A page is a Markdown file.
type page struct {
	path   string // from the repository
	blocks []block
	text   string // without the blocks
}

// A block is one of code, fenced or indented.
type block struct {
	line     int    // of its first line
	language string // "" if the fence does not say, and if it is indented
	code     string // without its own indentation
}

// pages returns all Markdown files that belong to the repository.
func pages(t *testing.T) []page {
	t.Helper()
	var all []page
	each(t, ".md", func(path string, data []byte) {
		p := readPage(string(data))
		p.path = path
		all = append(all, p)
	})
	if len(all) == 0 {
		t.Fatal("there is no Markdown file")
	}
	return all
}

// each calls f with each file of the repository whose name ends like that, but for
// what tests need, what is built, and what belongs to tools.
func each(t *testing.T, suffix string, f func(path string, data []byte)) {
	t.Helper()
	err := filepath.WalkDir(repository, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			switch name := d.Name(); {
			case name == "testdata", name == "node_modules", path == filepath.Join(repository, "bin"),
				path != repository && strings.HasPrefix(name, "."):
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, suffix) {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(repository, path)
		f(filepath.ToSlash(rel), data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// readPage takes the blocks of code out of a text. It knows as much of Markdown as
// the pages here use: fences of three backquotes, and blocks that are indented by
// four blanks after an empty line.
func readPage(text string) page {
	var p page
	var rest strings.Builder
	var open *block
	var fenced bool
	var margin string
	empty := true // the line before
	number := 0
	for line := range strings.Lines(text) {
		number++
		bare := strings.TrimSpace(line)
		switch {
		case open != nil && fenced:
			if bare == "```" {
				p.blocks, open = append(p.blocks, *open), nil
			} else {
				open.code += strings.TrimPrefix(line, margin)
			}
		case open != nil && (bare == "" || strings.HasPrefix(line, "    ")):
			open.code += strings.TrimPrefix(line, "    ")
		default:
			if open != nil {
				p.blocks, open = append(p.blocks, *open), nil
			}
			if language, found := strings.CutPrefix(bare, "```"); found {
				margin, _, _ = strings.Cut(line, "`")
				open, fenced = &block{line: number + 1, language: language}, true
			} else if empty && bare != "" && strings.HasPrefix(line, "    ") {
				open, fenced = &block{line: number, code: strings.TrimPrefix(line, "    ")}, false
			} else {
				rest.WriteString(line)
			}
		}
		empty = bare == ""
	}
	if open != nil {
		p.blocks = append(p.blocks, *open)
	}
	p.text = rest.String()
	return p
}

// Each row of a table has as many cells as the head: a row that was wrapped ends the table.
func TestTables(t *testing.T) {
	rows := 0
	for _, p := range pages(t) {
		cells := 0 // of the head; 0 outside of a table
		for line := range strings.Lines(p.text) {
			line = strings.TrimSpace(line)
			n := strings.Count(line, "|") - strings.Count(line, `\|`)
			switch {
			case !strings.HasPrefix(line, "|"):
				n = 0
			case cells > 0 && n != cells:
				t.Errorf("%s: a row has %d bars, and the head of its table %d: %s", p.path, n, cells, line)
				n = cells
			default:
				rows++
			}
			cells = n
		}
	}
	if rows == 0 {
		t.Error("no page has a table")
	}
}

func TestReadPage(t *testing.T) {
	p := readPage("# A\n```go\nx := 1\n```\ntext\n- item\n  ```sh\n  ls\n    -l\n  ```\n\n    make run\n\n    make test\nend\n")
	want := []block{{3, "go", "x := 1\n"}, {8, "sh", "ls\n  -l\n"}, {12, "", "make run\n\nmake test\n"}}
	if len(p.blocks) != len(want) {
		t.Fatalf("got %d blocks, want %d: %+v", len(p.blocks), len(want), p.blocks)
	}
	for i := range want {
		if p.blocks[i] != want[i] {
			t.Errorf("block %d: got %+v, want %+v", i, p.blocks[i], want[i])
		}
	}
	if want := "# A\ntext\n- item\n\nend\n"; p.text != want {
		t.Errorf("text: got %q, want %q", p.text, want)
	}
}
