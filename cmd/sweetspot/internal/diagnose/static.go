package diagnose

import (
	"context"
	"slices"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/vetcmd"
	"github.com/sweetspot-go/sweetspot/lab/dissect"
	"github.com/sweetspot-go/sweetspot/vet"
)

// inspectSource has all checks look at packages and their tests, down to what is
// only worth reading in a hot line: which lines are hot is known here.
func inspectSource(ctx context.Context, dir string, patterns, flags []string) ([]Static, error) {
	r, err := vetcmd.Check(ctx, vetcmd.Request{
		Dir: dir, Patterns: patterns, Flags: flags, Tests: true,
		Analyzers: vet.Analyzers(vet.Hot, vet.Tests()),
	})
	if err != nil {
		return nil, err
	}
	var all []Static
	for _, f := range r.Findings {
		all = append(all, Static{
			Check: f.Check, Grade: f.Grade.String(), File: f.File, Line: f.Line, EndLine: max(f.Line, f.EndLine),
			Message: f.Message, URL: f.URL, Uses: f.Related,
		})
	}
	return all, nil
}

// statementLines is how many lines of a finding count as its place. What is in
// the body of a loop, or of a literal, farther down is not what it is about.
const statementLines = 3

func (s Static) covers(p dissect.Place) bool {
	return s.File == p.File && s.Line <= p.Line && p.Line <= min(max(s.Line, s.EndLine), s.Line+statementLines-1)
}

// usedAt reports whether a place is a line that uses what a finding is about.
func (s Static) usedAt(p dissect.Place) bool {
	return slices.Contains(s.Uses, vetcmd.Line{File: p.File, Line: p.Line})
}

func (s Static) is(other Static) bool {
	return s.Check == other.Check && s.File == other.File && s.Line == other.Line && s.Grade == other.Grade && s.Message == other.Message
}

// staticsOf returns the findings of any of the places: the lines themselves, their callers
// and what was inlined into them.
func staticsOf(all []Static, places ...dissect.Place) []Static {
	return slices.DeleteFunc(slices.Clone(all), func(s Static) bool {
		return !slices.ContainsFunc(places, s.covers) && !slices.ContainsFunc(places, s.usedAt)
	})
}
