package vet

import (
	"fmt"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// A Grade says how likely a finding is worth fixing, and so when it is shown. The
// surest is the lowest.
type Grade int

const (
	Quiet Grade = iota // worth reading anywhere, so that CI can have it on
	Info               // true, but often deliberate or of little effect
	Hot                // only worth reading where a profile says that the line is hot
)

// String returns "quiet", "info" or "hot".
func (g Grade) String() string {
	switch g {
	case Quiet:
		return "quiet"
	case Info:
		return "info"
	case Hot:
		return "hot"
	}
	return fmt.Sprintf("Grade(%d)", int(g))
}

// MarshalText returns what String does, for JSON.
func (g Grade) MarshalText() ([]byte, error) { return []byte(g.String()), nil }

// GradeOf returns the grade of a finding of this package's analyzers, and [Hot] for any
// other diagnostic, because its precision is unknown.
func GradeOf(d analysis.Diagnostic) Grade {
	if _, grade, ok := strings.Cut(d.Category, "/"); ok {
		for g := Quiet; g < Hot; g++ {
			if grade == g.String() {
				return g
			}
		}
	}
	return Hot
}
