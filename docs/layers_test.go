package docs_test

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

const modulePath = "github.com/sweetspot-go/sweetspot"

// Packages of the root module import only from layers below their own, as CONTRIBUTING.md
// draws them.
func TestLayers(t *testing.T) {
	rerun.Skip(t)
	layers := drawnLayers(t)
	if len(layers) < 15 {
		t.Fatalf("CONTRIBUTING.md draws %d packages, want 15 or more: %v", len(layers), layers)
	}
	cmd := exec.CommandContext(t.Context(), "go", "list", "-f", "{{.ImportPath}} {{join .Imports \" \"}}", "./...")
	cmd.Dir = repository
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	drawn := 0
	for line := range strings.Lines(string(out)) {
		names := strings.Fields(line)
		from, known := layers[short(names[0])]
		if !known {
			continue
		}
		drawn++
		for _, name := range names[1:] {
			if to, known := layers[short(name)]; known && to <= from {
				t.Errorf("%s imports %s, which CONTRIBUTING.md does not draw below it", short(names[0]), short(name))
			}
		}
	}
	if drawn < 15 {
		t.Errorf("%d of the drawn packages are in the root module, want 15 or more", drawn)
	}
}

// What other modules import of the internal packages is as public as the rest, since they may do
// so at another version: CONTRIBUTING.md names it.
func TestPublicInternals(t *testing.T) {
	rerun.Skip(t)
	data, err := os.ReadFile(filepath.Join(repository, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(string(data)), " ")
	_, list, found := strings.Cut(text, "these as public: ")
	list, rest, split := strings.Cut(list, ". Only tests of other modules import ")
	rest, _, closed := strings.Cut(rest, ".")
	if !found || !split || !closed {
		t.Fatal("CONTRIBUTING.md does not say which internal packages are public")
	}
	cmd := exec.CommandContext(t.Context(), "go", "list", "-f", `{{with .Module}}{{.Path}}{{end}}
	{{join .Imports " "}}
	{{join .TestImports " "}} {{join .XTestImports " "}}`, "work")
	cmd.Dir, cmd.Stderr, cmd.Env = repository, os.Stderr, append(os.Environ(), "GOWORK=")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	imported, tested := map[string]bool{}, map[string]bool{}
	lines := strings.Split(string(out), "\n")
	for i := 0; i+2 < len(lines); i += 3 {
		if lines[i] == modulePath {
			continue
		}
		for of, names := range []string{lines[i+1], lines[i+2]} {
			for _, name := range strings.Fields(names) {
				if name = short(name); path.Dir(name) == "internal" || path.Dir(name) == "contrib/internal" {
					[]map[string]bool{imported, tested}[of][path.Base(name)] = true
				}
			}
		}
	}
	for name := range imported {
		delete(tested, name)
	}
	for _, c := range []struct {
		said string
		is   map[string]bool
	}{{list, imported}, {rest, tested}} {
		said := map[string]bool{}
		for name := range strings.FieldsFuncSeq(c.said, func(r rune) bool { return r < 'a' || 'z' < r }) {
			said[name] = true
			if name != "and" && !c.is[name] {
				t.Errorf("other modules do not import %s, which CONTRIBUTING.md says in: %s", name, c.said)
			}
		}
		for name := range c.is {
			if !said[name] {
				t.Errorf("other modules import %s, and CONTRIBUTING.md does not say so in: %s", name, c.said)
			}
		}
	}
}

// drawnLayers returns the number of the line in which each package is drawn. The first word
// of a line has the folder of all, and two spaces or more are between them.
func drawnLayers(t *testing.T) map[string]int {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(repository, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, drawing, found := strings.Cut(string(data), "## The tree\n")
	drawing, _, closed := strings.Cut(drawing, "\n## ")
	if !found || !closed {
		t.Fatal("CONTRIBUTING.md has no section on the tree")
	}
	layers := map[string]int{}
	number := 0
	for line := range strings.Lines(drawing) {
		if !strings.HasPrefix(line, "    ") {
			continue
		}
		number++
		names, _, _ := strings.Cut(strings.TrimSpace(line), "    ")
		folder := ""
		for i, name := range strings.Fields(names) {
			switch {
			case i == 0 && strings.HasPrefix(name, "internal/"):
				folder = "internal/"
			case name == "sweetspot":
				name = ""
			case !strings.Contains(name, "/"):
				name = folder + name
			}
			layers[name] = number
		}
	}
	return layers
}

// short returns the import path without that of the module.
func short(importPath string) string {
	return strings.TrimPrefix(strings.TrimPrefix(importPath, modulePath), "/")
}
