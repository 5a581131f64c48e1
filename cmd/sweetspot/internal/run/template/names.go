package template

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/usage"
	"github.com/sweetspot-go/sweetspot/internal/pattern"
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

// misnamed returns an error if a word has the name of a column with a slip, or is nothing but
// the placeholder of a column that does not exist. Within a word, {b} may be meant as it stands,
// as in JSON, and ${b} is a variable of a shell.
func (s Shape) misnamed(word string) error {
	names := slices.DeleteFunc(slices.Clone(s.Names), func(n string) bool { return n == "" })
	if len(names) == 0 {
		return nil
	}
	for _, m := range likeColumn().FindAllStringSubmatch(word, -1) {
		name := m[2]
		if m[1] != "" || s.has(name) {
			continue
		}
		g := usage.NewGuess(name)
		for _, n := range names {
			g.Try(n, func() bool { return true })
		}
		if near := g.Best(); near != "" {
			return fmt.Errorf("{%s}: no column has this name (did you mean {%s}?)", name, near)
		}
		if m[0] == word && !strings.Contains(name, " ") { // {print x} is awk
			return fmt.Errorf("{%s}: no column has this name: want {%s}, or { %[1]s } as text", name, strings.Join(names, "}, {"))
		}
	}
	return nil
}

// likeColumn is what looks like the placeholder of a column, with the $ in front that makes it a variable.
var likeColumn = pattern.Of(`(\$?)\{(\pL(?:[\pL\d_ -]*[\pL\d_-])?[./]*)\}`)

func (s Shape) has(name string) bool {
	_, n := placeholderAt("{"+name+"}", "{}", s)
	return n > 0
}
