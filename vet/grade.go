package vet

import (
	"fmt"
	"slices"
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

var gradeNames = [...]string{Quiet: "quiet", Info: "info", Hot: "hot"}

// String returns "quiet", "info" or "hot".
func (g Grade) String() string {
	if g < Quiet || g > Hot {
		return fmt.Sprintf("Grade(%d)", int(g))
	}
	return gradeNames[g]
}

// MarshalText returns what String does, for JSON.
func (g Grade) MarshalText() ([]byte, error) { return []byte(g.String()), nil }

// GradeOf returns the grade of a finding of this package's analyzers, and [Hot] for any
// other diagnostic, because its precision is unknown.
func GradeOf(d analysis.Diagnostic) Grade {
	_, name, _ := strings.Cut(d.Category, "/")
	if g := slices.Index(gradeNames[:], name); g >= 0 {
		return Grade(g)
	}
	return Hot
}
