package vetcmd

import (
	_ "embed"
	"encoding/json"
	"io"
	"path/filepath"
)

// Schema describes the JSON that the command writes, as a JSON Schema. Keys may be
// added under version 1; none is renamed, removed or given another meaning.
//
//go:embed schema.json
var Schema []byte

type document struct {
	Version  int           `json:"version"`
	Packages int           `json:"packages"`
	Lines    int           `json:"lines"`
	Known    int           `json:"known"`
	Findings []findingJSON `json:"findings"`
	Broken   []brokenJSON  `json:"broken"`
}

type findingJSON struct {
	Check       string    `json:"check"`
	Grade       string    `json:"grade"`
	Package     string    `json:"package"`
	Function    string    `json:"function,omitempty"`
	File        string    `json:"file"`
	Line        int       `json:"line"`
	Column      int       `json:"column"`
	EndLine     int       `json:"endLine,omitempty"`
	EndColumn   int       `json:"endColumn,omitempty"`
	Text        string    `json:"text"`
	Message     string    `json:"message"`
	URL         string    `json:"url"`
	Fingerprint string    `json:"fingerprint"`
	Fixes       []fixJSON `json:"fixes,omitempty"`
}

type fixJSON struct {
	Message string     `json:"message"`
	Edits   []editJSON `json:"edits"`
}

type editJSON struct {
	File  string `json:"file"`
	Start int    `json:"start"`
	End   int    `json:"end"`
	New   string `json:"new"`
}

type brokenJSON struct {
	Package string `json:"package"`
	Error   string `json:"error"`
}

// writeJSON writes a result, of which known findings have been left out.
func writeJSON(w io.Writer, r *Result, known int, dir string) error {
	d := document{Version: 1, Packages: r.Packages, Lines: r.Lines, Known: known, Findings: []findingJSON{}, Broken: []brokenJSON{}}
	for _, f := range r.Findings {
		j := findingJSON{
			Check: f.Check, Grade: f.Grade.String(), Package: f.Package, Function: f.Function,
			File: slashed(dir, f.File), Line: f.Line, Column: f.Column, EndLine: f.EndLine, EndColumn: f.EndColumn,
			Text: f.Text, Message: f.Message, URL: f.URL, Fingerprint: f.fingerprint(),
		}
		for _, fix := range f.Fixes {
			x := fixJSON{Message: fix.Message}
			for _, e := range fix.Edits {
				x.Edits = append(x.Edits, editJSON{slashed(dir, e.File), e.Start, e.End, e.New})
			}
			j.Fixes = append(j.Fixes, x)
		}
		d.Findings = append(d.Findings, j)
	}
	for _, b := range r.Broken {
		d.Broken = append(d.Broken, brokenJSON{b.Package, b.Err.Error()})
	}
	return encode(w, d)
}

func encode(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// slashed returns the path as in text, with slashes on any system.
func slashed(dir, path string) string { return filepath.ToSlash(relative(dir, path)) }
