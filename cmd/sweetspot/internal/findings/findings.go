// Package findings writes what commands find in files: paths as their user sees them,
// JSON, and the Static Analysis Results Interchange Format (SARIF), version 2.1.0 of OASIS:
// https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
package findings

import (
	"encoding/json"
	"io"
	"net/url"
	"path/filepath"
	"strings"
)

// Relative returns the path as seen from dir if it is below, and as it is otherwise.
func Relative(dir, path string) string {
	if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// An Object is one of JSON.
type Object = map[string]any

// WriteJSON writes a value for programs, and for people who look into the file.
func WriteJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// WriteSARIF writes a run of a tool, which has these rules.
func WriteSARIF(w io.Writer, tool string, rules []Object, run Object) error {
	const home = "https://github.com/sweetspot-go/sweetspot"
	run["tool"] = Object{"driver": Object{"name": tool, "informationUri": home, "rules": rules}}
	return WriteJSON(w, Object{
		"$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
		"version": "2.1.0",
		"runs":    []Object{run},
	})
}

// URI returns a path relative to dir, or else an absolute URI, as SARIF names files.
func URI(dir, path string) string {
	slashed := filepath.ToSlash(Relative(dir, path))
	if !filepath.IsAbs(filepath.FromSlash(slashed)) {
		return (&url.URL{Path: slashed}).String()
	}
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // C:/...
	}
	return (&url.URL{Scheme: "file", Path: slashed}).String()
}
