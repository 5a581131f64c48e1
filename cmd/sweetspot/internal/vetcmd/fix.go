package vetcmd

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"golang.org/x/tools/go/ast/astutil"
)

// A fixedFile is one that fixes have changed.
type fixedFile struct {
	path     string
	old, new []byte
	mode     fs.FileMode
}

// applyFixes applies the first fix of each finding that has one to what is on disk, and
// returns the files that changed, how many fixes they hold, and how many overlap
// with another and must wait for the next time. It marks the findings that are fixed.
func applyFixes(findings []Finding) (files []fixedFile, applied, left int, err error) {
	edits := make(map[string][]Edit)
	for i := range findings {
		f := &findings[i]
		if len(f.Fixes) == 0 {
			continue
		}
		fix := f.Fixes[0].Edits
		if slices.ContainsFunc(fix, func(e Edit) bool { return overlaps(edits[e.File], e) }) {
			left++
			continue
		}
		applied++
		f.fixed = true
		for _, e := range fix {
			if !slices.Contains(edits[e.File], e) {
				edits[e.File] = append(edits[e.File], e)
			}
		}
	}
	for _, path := range slices.Sorted(maps.Keys(edits)) {
		info, err := os.Stat(path)
		if err != nil {
			return nil, 0, 0, err
		}
		old, err := os.ReadFile(path)
		if err != nil {
			return nil, 0, 0, err
		}
		changed, err := apply(old, edits[path])
		if err == nil {
			changed, err = tidied(path, old, changed)
		}
		if err != nil {
			return nil, 0, 0, fmt.Errorf("%s: %w", path, err)
		}
		files = append(files, fixedFile{path, old, changed, info.Mode().Perm()})
	}
	return files, applied, left, nil
}

// overlaps reports whether e changes what others change, other than in the same way.
func overlaps(others []Edit, e Edit) bool {
	return slices.ContainsFunc(others, func(o Edit) bool {
		if o == e {
			return e.Start == e.End // who knows whether twice is meant
		}
		return o.Start < e.End && e.Start < o.End || o.Start == e.Start
	})
}

func apply(src []byte, edits []Edit) ([]byte, error) {
	slices.SortFunc(edits, func(a, b Edit) int { return cmp.Compare(a.Start, b.Start) })
	var b bytes.Buffer
	at := 0
	for _, e := range edits {
		if e.Start < at || e.End < e.Start || e.End > len(src) {
			return nil, fmt.Errorf("the file has changed while it was looked at")
		}
		b.Write(src[at:e.Start])
		b.WriteString(e.New)
		at = e.End
	}
	b.Write(src[at:])
	return b.Bytes(), nil
}

// tidied formats a file, and removes the imports that only what is gone has used.
func tidied(path string, old, changed []byte) ([]byte, error) {
	fset := token.NewFileSet()
	before, err := parser.ParseFile(fset, path, old, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	after, err := parser.ParseFile(fset, path, changed, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("the fix does not compile: %w", err)
	}
	used, stillUsed := qualifiers(before), qualifiers(after)
	deleted := false
	for _, spec := range slices.Clone(after.Imports) {
		importPath, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, err
		}
		name := ""
		if spec.Name != nil {
			name = spec.Name.Name
		}
		// A name that differs from the last element of the path is not known here, and
		// the import stays. So does one that nothing has used before.
		called := cmp.Or(name, filepath.Base(importPath))
		if used[called] && !stillUsed[called] {
			deleted = astutil.DeleteNamedImport(fset, after, name, importPath) || deleted
		}
	}
	if !deleted {
		return format.Source(changed)
	}
	var b bytes.Buffer
	if err := format.Node(&b, fset, after); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// qualifiers returns the names in front of a dot, among them those of packages.
func qualifiers(f *ast.File) map[string]bool {
	names := make(map[string]bool)
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := s.X.(*ast.Ident); ok {
				names[id.Name] = true
			}
		}
		return true
	})
	return names
}

// write replaces the file in one step, so that nobody sees half of it.
func (m fixedFile) write() error {
	target, err := filepath.EvalSymlinks(m.path)
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(target), ".sweetspot-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // gone already if all went well
	_, err = tmp.Write(m.new)
	if err := cmp.Or(err, tmp.Chmod(m.mode), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), target)
}
