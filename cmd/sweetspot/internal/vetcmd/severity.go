package vetcmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/sweetspot-go/sweetspot/vet"
)

// Severities, as SARIF calls them. A note affects no exit status.
const (
	severe  = "error"
	warning = "warning"
	note    = "note"
)

// severityOf returns the severity of a finding that --severity says nothing of: tools show
// warnings in reviews, so only what is shown by default is one.
func severityOf(g vet.Grade) string {
	if g == vet.Quiet {
		return warning
	}
	return note
}

// setSeverities gives each finding its severity.
func (o *options) setSeverities(findings []Finding) {
	for i := range findings {
		f := &findings[i]
		f.Severity = severityOf(f.Grade)
		if s, ok := o.severity[f.Check]; ok {
			f.Severity = s
		}
	}
}

func (o *options) checkSeverities(all []*analysis.Analyzer) error {
	for name, s := range o.severity {
		if err := exists(name, all, o.info); err != nil {
			return err
		}
		if !slices.Contains([]string{severe, warning, note}, s) {
			return fmt.Errorf("vet: --severity %s=%s: want error, warning or note", name, s)
		}
	}
	return nil
}

// fails reports whether a finding changes the exit status.
func (o *options) fails(findings []Finding) bool {
	return o.fail != never && slices.ContainsFunc(findings, func(f Finding) bool {
		return f.Severity != note || o.fail == vet.Info.String()
	})
}

// repository returns the root of the repository that dir is in, or dir if it is in none.
func repository(dir string) string {
	for root := dir; ; root = filepath.Dir(root) {
		// In a linked working tree .git is a file.
		if _, err := os.Stat(filepath.Join(root, ".git")); !errors.Is(err, fs.ErrNotExist) {
			return root
		}
		if root == filepath.Dir(root) {
			return dir
		}
	}
}
