package run

import (
	"strings"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/manual"
)

// Manual returns what the manual page says beyond the usage and the examples: the flags by
// groups, and their notes.
func Manual() []manual.Section {
	sections := make([]manual.Section, groups)
	for g := range groups {
		s := manual.Section{Title: groupTitles[g]}
		for i := range flags {
			if f := &flags[i]; f.group == g {
				s.Items = append(s.Items, manual.Item{Term: strings.TrimLeft(f.synopsis(), " "), Words: f.wordsAnd()})
			}
		}
		for _, n := range notes[g] {
			s.Items = append(s.Items, manual.Item{Term: n.term, Words: n.words})
		}
		sections[g] = s
	}
	return sections
}
