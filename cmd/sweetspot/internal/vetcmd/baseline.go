package vetcmd

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
)

const baselineHeader = `# Findings that sweetspot vet --baseline does not tell: a line for each, of its
# check, package, function and source line. Write it anew with --write-baseline.
`

// writeBaseline writes a line for each finding. Nothing in it moves when code is
// added elsewhere, so that changes of the file are worth reading.
func writeBaseline(w io.Writer, findings []Finding) error {
	var lines []string
	for _, f := range findings {
		lines = append(lines, f.key()+"\n")
	}
	slices.Sort(lines)
	_, err := io.WriteString(w, baselineHeader+strings.Join(lines, ""))
	return err
}

// readBaseline returns how many findings of each key are known.
func readBaseline(r io.Reader) (map[string]int, error) {
	known := make(map[string]int)
	s := bufio.NewScanner(r)
	s.Buffer(nil, 1<<20) // lines of source can be long
	for n := 1; s.Scan(); n++ {
		line := strings.TrimSpace(s.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		head, _, ok := strings.Cut(line, ": ")
		if !ok && strings.HasSuffix(line, ":") {
			head, ok = line[:len(line)-1], true
		}
		if !ok || len(strings.Fields(head)) != 3 {
			return nil, fmt.Errorf("line %d: want CHECK PACKAGE FUNCTION: SOURCE LINE, as --write-baseline writes it, not %q", n, line)
		}
		known[line]++
	}
	return known, s.Err()
}

// unknown returns the findings that are not known, and how many of the known ones
// were not found. Of two findings with the same key and one known the first is known.
func unknown(findings []Finding, known map[string]int) (left []Finding, gone int) {
	for _, f := range findings {
		// As a line of the file is read: without space at its end.
		if k := strings.TrimSpace(f.key()); known[k] > 0 {
			known[k]--
		} else {
			left = append(left, f)
		}
	}
	for _, n := range known {
		gone += n
	}
	return left, gone
}
