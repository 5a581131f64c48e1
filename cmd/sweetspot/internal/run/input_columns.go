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

// trimFlag is the value of --trim: at which ends of a value white space is taken
// away. "" is not given.
type trimFlag string

// trimColumns is how columns are trimmed unless --trim says otherwise, as GNU
// parallel has it.
const trimColumns trimFlag = "lr"

// Set reads ENDS.
func (t *trimFlag) Set(s string) error {
	switch s {
	case "n", "l", "r", "lr", "rl":
		*t = trimFlag(s)
		return nil
	}
	return badChoice(s, "n, l, r or lr")
}

const (
	blanks = " \t"
	space  = blanks + "\n\v\f\r" // as in GNU parallel
)

// apply returns the values of a row without the white space at their ends.
func (t trimFlag) apply(row []string) []string {
	trimmed := make([]string, len(row))
	for i, v := range row {
		if strings.Contains(string(t), "l") {
			v = strings.TrimLeft(v, space)
		}
		if strings.Contains(string(t), "r") {
			v = strings.TrimRight(v, space)
		}
		trimmed[i] = v
	}
	return trimmed
}
