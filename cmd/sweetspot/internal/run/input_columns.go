package run

import (
	"context"
	"strings"
)

// mapped makes another row of each.
type mapped struct {
	rows
	to func(row []string) []string
}

func (m mapped) next(ctx context.Context) ([]string, error) {
	row, err := m.rows.next(ctx)
	if err != nil {
		return nil, err
	}
	return m.to(row), nil
}

// trimFlag is the value of --trim: at which ends of a value blanks are taken
// away.
type trimFlag struct {
	text        string
	left, right bool
}

// trimColumns is how columns are trimmed unless --trim says otherwise, as GNU
// parallel has it.
var trimColumns = trimFlag{"lr", true, true}

// Set reads ENDS.
func (t *trimFlag) Set(s string) error {
	switch s {
	case "n", "l", "r", "lr", "rl":
		*t = trimFlag{s, strings.Contains(s, "l"), strings.Contains(s, "r")}
		return nil
	}
	return badChoice(s, "n, l, r or lr")
}

const blanks = " \t"

// apply returns the values of a row without the blanks at their ends.
func (t *trimFlag) apply(row []string) []string {
	trimmed := make([]string, len(row))
	for i, v := range row {
		if t.left {
			v = strings.TrimLeft(v, blanks)
		}
		if t.right {
			v = strings.TrimRight(v, blanks)
		}
		trimmed[i] = v
	}
	return trimmed
}
