package vetcmd

import (
	"io"
	"strings"
)

var (
	FromGoCommand = fromGoCommand
	InfoWanted    = infoWanted
	WriteDiff     = writeDiff
	ReadBaseline  = readBaseline
	Mend          = mend
	Tidied        = tidied
)

// Content returns what a file becomes.
func (m mended) Content() string { return string(m.new) }

// Compare returns the steps of a diff, each with its sign in front.
func Compare(a, b []string) []string {
	var steps []string
	for _, s := range compare(a, b) {
		steps = append(steps, string(s.op)+s.text)
	}
	return steps
}

// Rewrite writes findings as a baseline, and Known reads it and returns the findings
// that are not in it.
func Rewrite(w io.Writer, findings []Finding) error { return writeBaseline(w, findings) }

func Known(baseline string, findings []Finding) (left []Finding, gone int, err error) {
	known, err := readBaseline(strings.NewReader(baseline))
	if err != nil {
		return nil, 0, err
	}
	left, gone = unknown(findings, known)
	return left, gone, nil
}

// Key is what tells findings apart.
func (f Finding) Key() string { return f.key() }
