package vetcmd

import (
	_ "embed"
	"encoding/json"
	"io"
	"path/filepath"
	"slices"
)

// Schema describes the JSON that the command writes, as a JSON Schema. Keys may be
// added under version 1; none is renamed, removed or given another meaning.
//
//go:embed schema.json
var Schema []byte

// An object is one of JSON.
type object = map[string]any

// writeJSON writes a result, of which known findings have been left out.
func writeJSON(w io.Writer, r *Result, known int, dir string) error {
	findings := append([]Finding{}, r.Findings...)
	for i := range findings {
		f := &findings[i]
		f.File, f.Fixes = slashed(dir, f.File), slices.Clone(f.Fixes)
		for k := range f.Fixes {
			edits := slices.Clone(f.Fixes[k].Edits)
			for n := range edits {
				edits[n].File = slashed(dir, edits[n].File)
			}
			f.Fixes[k].Edits = edits
		}
	}
	broken := []object{}
	for _, b := range r.Broken {
		broken = append(broken, object{"package": b.Package, "error": b.Err.Error()})
	}
	return encode(w, object{"version": 1, "packages": r.Packages, "lines": r.Lines, "known": known, "findings": findings, "broken": broken})
}

func encode(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// slashed returns the path as in text, with slashes on any system.
func slashed(dir, path string) string { return filepath.ToSlash(relative(dir, path)) }
