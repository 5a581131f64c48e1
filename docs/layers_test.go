package docs_test

import (
	"os"
	"os/exec"
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
