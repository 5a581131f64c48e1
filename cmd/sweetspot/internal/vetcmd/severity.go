package vetcmd

import (
	"cmp"
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

// setSeverities gives each finding its severity: that of --severity, or else a warning if
// the finding is shown by default, since tools show warnings in reviews.
func (o *options) setSeverities(findings []Finding) {
	for i := range findings {
		f := &findings[i]
		f.Severity = note
		if f.Grade == vet.Quiet {
			f.Severity = warning
		}
		f.Severity = cmp.Or(o.severity[f.Check], f.Severity)
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
