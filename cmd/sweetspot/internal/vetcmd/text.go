package vetcmd

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// writeText writes a line for each finding, in the form that editors jump to, and at
// the end where to read about each check.
func writeText(w io.Writer, findings []Finding, dir string) error {
	b := bufio.NewWriter(w)
	urls := make(map[string]string)
	for _, f := range findings {
		fmt.Fprintf(b, "%s:%d:%d: %s [%s]\n", relative(dir, f.File), f.Line, f.Column, f.Message, f.Check)
		urls[f.Check] = f.URL
	}
	var checks []string
	for check := range urls {
		checks = append(checks, check)
	}
	slices.Sort(checks)
	for i, check := range checks {
		if i == 0 {
			fmt.Fprintln(b)
		}
		fmt.Fprintf(b, "%s: see %s\n", check, urls[check])
	}
	return b.Flush()
}

// relative returns the path as seen from dir if it is below, and as it is otherwise.
func relative(dir, path string) string {
	r, err := filepath.Rel(dir, path)
	if err != nil || r == ".." || strings.HasPrefix(r, ".."+string(filepath.Separator)) {
		return path
	}
	return r
}
