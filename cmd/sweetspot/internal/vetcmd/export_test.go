package vetcmd

import (
	"io"
	"strings"
)

var (
	FromGoCommand = fromGoCommand
	InfoWanted    = infoWanted
	ReadBaseline  = readBaseline
)

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
