package recording

import (
	"debug/buildinfo"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/sweetspot-go/sweetspot/lab/dissect"
)

// A home is the module that a program was built from.
type home struct {
	module string // its import path; "" if nobody knows
	root   string // its directory; "" if its source is not here
	scope  dissect.Scope
}

// homeOf finds the module that recordings are of: that of the program, if there is one,
// or that of the source, if the recordings name it. Without either all but the standard
// library is the user's.
func homeOf(source, program string, all []identified) home {
	root, module := moduleAt(source)
	if info, err := buildinfo.ReadFile(program); program != "" && err == nil && info.Main.Path != "" {
		if info.Main.Path != module {
			root = ""
		}
		module = info.Main.Path
	} else if !slices.ContainsFunc(all, func(i identified) bool {
		return module != "" && i.Of(module, root)
	}) {
		return home{}
	}
	if module == "" {
		return home{}
	}
	return home{module: module, root: root, scope: dissect.Scope{module}}
}

// moduleAt returns the root of the module that a directory is in, and its import path.
func moduleAt(dir string) (root, module string) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", ""
	}
	for {
		if text, err := os.ReadFile(filepath.Join(dir, "go.mod")); err == nil {
			return dir, modfile.ModulePath(text)
		}
		if parent := filepath.Dir(dir); parent != dir {
			dir = parent
			continue
		}
		return "", ""
	}
}

// find returns a place with its file here, if its source is: programs are built elsewhere,
// and without the names of directories (-trimpath).
func (h home) find(p dissect.Place) dissect.Place {
	if h.root == "" || !h.scope.Has(p) {
		return p
	}
	if _, err := os.Stat(p.File); err == nil {
		return p
	}
	if rest, ok := strings.CutPrefix(p.File, filepath.FromSlash(h.module)); ok {
		if _, path, _ := strings.Cut(rest, string(filepath.Separator)); path != "" { // after a version, too
			if file := filepath.Join(h.root, path); isFile(file) {
				p.File = file
				return p
			}
		}
	}
	// The longest end of the path that is here.
	for rest := filepath.ToSlash(p.File); ; {
		_, after, ok := strings.Cut(rest, "/")
		if !ok {
			return p
		}
		rest = after
		if file := filepath.Join(h.root, filepath.FromSlash(rest)); isFile(file) {
			p.File = file
			return p
		}
	}
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// isProgram reports whether a file is an executable, by how it begins: those of Linux,
// Windows and macOS.
func isProgram(name string) bool {
	file, err := os.Open(name)
	if err != nil {
		return false
	}
	defer file.Close()
	var begin [4]byte
	n, _ := file.Read(begin[:])
	return slices.ContainsFunc([]string{"\x7fELF", "MZ", "\xcf\xfa\xed\xfe", "\xfe\xed\xfa\xcf", "\xca\xfe\xba\xbe"}, func(magic string) bool {
		return strings.HasPrefix(string(begin[:n]), magic)
	})
}
