package run

import (
	"context"
	"regexp"
	"strings"
)

// columns makes a row of the columns of each value.
type columns struct {
	rows
	separator *regexp.Regexp
	trim      trimFlag
}

// next implements [rows]. An empty column is an empty value.
func (c *columns) next(ctx context.Context) ([]string, error) {
	row, err := c.rows.next(ctx)
	if err != nil {
		return nil, err
	}
	var cells []string
	for _, v := range row {
		cells = append(cells, c.separator.Split(v, -1)...)
	}
	for i := range cells {
		cells[i] = c.trim.apply(cells[i])
	}
	return cells, nil
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

func (t *trimFlag) apply(v string) string {
	if t.left {
		v = strings.TrimLeft(v, blanks)
	}
	if t.right {
		v = strings.TrimRight(v, blanks)
	}
	return v
}

// trimmed takes blanks away from each value.
type trimmed struct {
	rows
	trim trimFlag
}

// next implements [rows].
func (t *trimmed) next(ctx context.Context) ([]string, error) {
	row, err := t.rows.next(ctx)
	out := make([]string, len(row))
	for i, v := range row {
		out[i] = t.trim.apply(v)
	}
	return out, err
}
