package vetcmd

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/findings"
)

// writeText writes a line for each finding, in the form that editors jump to, and at
// the end where to read about each check.
func writeText(w io.Writer, all []Finding, dir string) error {
	b := bufio.NewWriter(w)
	urls := make(map[string]string)
	for _, f := range all {
		fmt.Fprintf(b, "%s:%d:%d: %s [%s]\n", findings.Relative(dir, f.File), f.Line, f.Column, f.Message, f.Check)
		urls[f.Check] = f.URL
	}
	for i, check := range slices.Sorted(maps.Keys(urls)) {
		if i == 0 {
			fmt.Fprintln(b)
		}
		fmt.Fprintf(b, "%s: see %s\n", check, urls[check])
	}
	return b.Flush()
}
