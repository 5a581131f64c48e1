package vetcmd

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

const baselineHeader = `# Findings that sweetspot vet --baseline does not tell: a line for each, of its
# check, package, function and source line. Write it anew with --write-baseline.
`

// baselineOf has a line for each finding. Nothing in it moves when code is added
// elsewhere, so that changes of the file are worth reading.
func baselineOf(findings []Finding) string {
	var lines []string
	for _, f := range findings {
		lines = append(lines, f.key()+"\n")
	}
	slices.Sort(lines)
	return baselineHeader + strings.Join(lines, "")
}

// readBaseline returns how many findings of each key are known.
func readBaseline(text string) (map[string]int, error) {
	known := make(map[string]int)
	for n, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		head, _, ok := strings.Cut(line, ": ")
		if !ok && strings.HasSuffix(line, ":") {
			head, ok = line[:len(line)-1], true
		}
		if !ok || len(strings.Fields(head)) != 3 {
			return nil, fmt.Errorf("line %d: want CHECK PACKAGE FUNCTION: SOURCE LINE, as --write-baseline writes it, not %q", n+1, line)
		}
		known[line]++
	}
	return known, nil
}

// unknown returns the findings that are not known, and how many of the known ones
// were not found in the packages that were looked at, by the checks that ran. Of two
// findings with the same key and one known the first is known.
func (r *Result) unknown(known map[string]int, ran []*analysis.Analyzer) (left []Finding, gone int) {
	for _, f := range r.Findings {
		// As a line of the file is read: without space at its end.
		if k := strings.TrimSpace(f.key()); known[k] > 0 {
			known[k]--
		} else {
			left = append(left, f)
		}
	}
	for line, n := range known {
		words := strings.Fields(line) // three at least: readBaseline has seen to that
		if r.looked[words[1]] && slices.ContainsFunc(ran, func(a *analysis.Analyzer) bool { return a.Name == words[0] }) {
			gone += n
		}
	}
	return left, gone
}
