package vetcmd

import (
	"io"
	"path/filepath"
	"slices"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/findings"
)

// writeJSON writes a result, of which known findings have been left out, as schema.json
// describes it. Keys may be added under version 1; none is renamed, removed or given
// another meaning.
func writeJSON(w io.Writer, r *Result, known int, dir string) error {
	all := append([]Finding{}, r.Findings...)
	for i := range all {
		f := &all[i]
		f.File, f.Fixes = slashed(dir, f.File), slices.Clone(f.Fixes)
		for k := range f.Fixes {
			edits := slices.Clone(f.Fixes[k].Edits)
			for n := range edits {
				edits[n].File = slashed(dir, edits[n].File)
			}
			f.Fixes[k].Edits = edits
		}
	}
	broken := []findings.Object{}
	for _, b := range r.Broken {
		broken = append(broken, findings.Object{"package": b.Package, "error": b.Err.Error()})
	}
	return findings.WriteJSON(w, findings.Object{
		"version": 1, "packages": r.Packages, "lines": r.Lines, "known": known, "findings": all, "broken": broken,
	})
}

// slashed returns the path as in text, with slashes on any system.
func slashed(dir, path string) string { return filepath.ToSlash(findings.Relative(dir, path)) }
