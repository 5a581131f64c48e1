package run

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/usage"
)

// takeHeader takes the first row of each list for the names of its columns.
func takeHeader(ctx context.Context, lists []rows, titles []string) (names []string, err error) {
	for i, l := range lists {
		row, err := l.next(ctx)
		if err == io.EOF {
			return nil, fmt.Errorf("--header: %s is empty, and its first line is to name the columns", titles[i])
		}
		if err != nil {
			return nil, err
		}
		names = append(names, row...)
	}
	return names, nil
}

// named returns the placeholder that text begins with and its length, if it is that of a
// column with a name: {name}, {name.}, {name/} and so on.
func (s shape) named(text string) (part, int) {
	inner, _, closed := strings.Cut(text[1:], "}")
	for i, name := range s.names {
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
func (s shape) misnamed(text string) error {
	for len(s.names) > 0 {
		_, rest, found := strings.Cut(text, "{")
		name, _, closed := strings.Cut(rest, "}")
		if !found || !closed {
			break
		}
		g := usage.NewGuess(name)
		for _, n := range s.names {
			g.Try(n, func() bool { return n != name })
		}
		if near := g.Best(); near != "" && !s.has(name) {
			return fmt.Errorf("{%s}: there is no such column (did you mean {%s}?)", name, near)
		}
		text = rest
	}
	return nil
}

func (s shape) has(name string) bool {
	_, n := placeholderAt("{"+name+"}", "{}", s)
	return n > 0
}
