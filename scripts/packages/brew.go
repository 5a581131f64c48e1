package main

import (
	_ "embed"
	"io"
	"text/template"
)

//go:embed sweetspot.rb.tmpl
var formulaText string

var formulaTemplate = template.Must(template.New("formula").Delims("<%", "%>").Parse(formulaText))

// formula writes the formula of Homebrew, for the archives that Homebrew can install.
func (r *release) formula() error {
	type archive struct{ OS, CPU, Name, Sum string }
	systems := map[string]string{"darwin": "macos", "linux": "linux"}
	cpus := map[string]string{"amd64": "intel", "arm64": "arm"}
	var archives []archive
	for _, b := range r.binaries {
		if systems[b.os] == "" {
			continue
		}
		name := r.archiveName(b.target)
		sum, _, err := r.sum(name)
		if err != nil {
			return err
		}
		archives = append(archives, archive{systems[b.os], cpus[b.arch], name, sum})
	}
	return r.create("sweetspot.rb", func(w io.Writer) error {
		return formulaTemplate.Execute(w, map[string]any{
			"Homepage": homepage, "Version": r.version, "Archives": archives,
		})
	})
}
