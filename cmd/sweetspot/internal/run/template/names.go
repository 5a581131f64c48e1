package template

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/usage"
)

// named returns the placeholder that text begins with and its length, if it is that of a
// column with a name: {name}, {name.}, {name/} and so on.
func (s Shape) named(text string) (part, int) {
	inner, _, closed := strings.Cut(text[1:], "}")
	for i, name := range s.Names {
		rest, ok := strings.CutPrefix(inner, name)
		if !ok || !closed || name == "" {
			continue
		}
		for _, p := range placeholders {
			if p.inner == rest && !p.field.ofRun() {
				return part{field: p.field, pos: i + 1}, len(inner) + 2
			}
		}
	}
	return part{}, 0
}

// misnamed returns an error if a text has the name of a column with a slip, or is nothing but
// the placeholder of a column that does not exist. Elsewhere {b} may be meant as it stands, as in
// JSON or the {print} of awk, and ${b} is a variable of a shell.
func (s Shape) misnamed(text string) error {
	if len(s.Names) == 0 {
		return nil
	}
	if m := lone.FindStringSubmatch(text); m != nil && !s.has(m[1]) && s.near(m[1]) == "" {
		return fmt.Errorf("{%s}: there is no such column: want {%s}, or { %[1]s } where no column is meant", m[1], strings.Join(s.Names, "}, {"))
	}
	for {
		before, rest, found := strings.Cut(text, "{")
		name, _, closed := strings.Cut(rest, "}")
		if !found || !closed {
			return nil
		}
		if near := s.near(name); near != "" && !s.has(name) && !strings.HasSuffix(before, "$") {
			return fmt.Errorf("{%s}: there is no such column (did you mean {%s}?)", name, near)
		}
		text = rest
	}
}

// lone is a text that is nothing but what looks like the placeholder of a column.
var lone = regexp.MustCompile(`^\{(\pL[\pL\d_-]*[./]*)\}$`)

// near returns the name of the column that is one slip away.
func (s Shape) near(name string) string {
	g := usage.NewGuess(name)
	for _, n := range s.Names {
		g.Try(n, func() bool { return n != name })
	}
	return g.Best()
}

func (s Shape) has(name string) bool {
	_, n := placeholderAt("{"+name+"}", "{}", s)
	return n > 0
}
