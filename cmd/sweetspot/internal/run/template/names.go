package template

import (
	"fmt"
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

// misnamed returns an error if a word has the name of a column with a slip.
func (s Shape) misnamed(text string) error {
	for len(s.Names) > 0 {
		_, rest, found := strings.Cut(text, "{")
		name, _, closed := strings.Cut(rest, "}")
		if !found || !closed {
			break
		}
		g := usage.NewGuess(name)
		for _, n := range s.Names {
			g.Try(n, func() bool { return n != name })
		}
		if near := g.Best(); near != "" && !s.has(name) {
			return fmt.Errorf("{%s}: there is no such column (did you mean {%s}?)", name, near)
		}
		text = rest
	}
	return nil
}

func (s Shape) has(name string) bool {
	_, n := placeholderAt("{"+name+"}", "{}", s)
	return n > 0
}
