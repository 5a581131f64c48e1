package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

const rootPath = "github.com/sweetspot-go/sweetspot"

// published are the folders of the modules that others can import or install, each after
// those that it requires. The rest of the modules are for work on this repository.
var published = []string{
	".",
	"vet",
	"lab",
	"contrib/asynq",
	"contrib/franz",
	"contrib/golangci",
	"contrib/grpc",
	"contrib/nats",
	"contrib/keda",
	"contrib/otel",
	"contrib/prometheus",
	"contrib/river",
	"contrib/sql",
	"contrib/temporal",
	"cmd/sweetspot",
}

// A moduleDir is a published module in a work tree.
type moduleDir struct {
	dir  string // below the root, with slashes; "." is the root
	file *modfile.File
}

func (m *moduleDir) path() string { return m.file.Module.Mod.Path }

// prefix is what the module's tags begin with.
func (m *moduleDir) prefix() string {
	if m.dir == "." {
		return ""
	}
	return m.dir + "/"
}

func modulesOf(root string) ([]*moduleDir, error) {
	before := map[string]bool{}
	var list []*moduleDir
	for _, dir := range published {
		name := filepath.Join(root, filepath.FromSlash(dir), "go.mod")
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		file, err := modfile.Parse(name, data, nil)
		if err != nil {
			return nil, err
		}
		m := &moduleDir{dir, file}
		if want := path.Join(rootPath, dir); m.path() != want {
			return nil, fmt.Errorf("%s: module %s, want %s", name, m.path(), want)
		}
		for _, own := range m.requires() {
			if !before[own.Path] {
				return nil, fmt.Errorf("%s requires %s, which is not published before it: see the list in scripts/release/modules.go", m.path(), own.Path)
			}
		}
		before[m.path()] = true
		list = append(list, m)
	}
	return list, nil
}

// requires returns the modules of this repository that m requires.
func (m *moduleDir) requires() (own []module.Version) {
	for _, r := range m.file.Require {
		if isOurs(r.Mod.Path) {
			own = append(own, r.Mod)
		}
	}
	return own
}

func isOurs(p string) bool { return p == rootPath || strings.HasPrefix(p, rootPath+"/") }

// pin makes m require the modules of this repository at a version, and takes the replace
// directives away that led to their folders.
func (m *moduleDir) pin(version string) error {
	for _, own := range m.requires() {
		if err := m.file.AddRequire(own.Path, version); err != nil {
			return err
		}
	}
	for _, r := range append([]*modfile.Replace(nil), m.file.Replace...) {
		if !isOurs(r.Old.Path) {
			return fmt.Errorf("%s replaces %s: a published module may not replace others", m.path(), r.Old.Path)
		}
		if err := m.file.DropReplace(r.Old.Path, r.Old.Version); err != nil {
			return err
		}
	}
	m.file.Cleanup()
	return nil
}
