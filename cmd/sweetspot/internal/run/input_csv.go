package run

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// records makes a row of the fields of each CSV record (RFC 4180), for --csv. A quoted field
// may hold newlines, so a record may be several lines.
type records struct {
	*feed
	comma rune
	trim  trimFlag
	line  int // of the last record
}

// next implements [rows].
func (c *records) next(ctx context.Context) ([]string, error) {
	row, err := c.feed.next(ctx)
	if err != nil {
		return nil, err
	}
	first, text := c.line+1, row[0]
	for c.line++; strings.Count(text, `"`)%2 == 1; c.line++ {
		if row, err = c.feed.next(ctx); err == io.EOF || len(text) > maxValue {
			return nil, fmt.Errorf("--csv: %s: a quote in line %d is not closed", c.name, first)
		} else if err != nil {
			return nil, err
		}
		text += "\n" + row[0]
	}
	if strings.TrimSuffix(text, "\r") == "" {
		return c.next(ctx) // as for other lists, an empty line is not a job
	}
	r := csv.NewReader(strings.NewReader(text + "\n"))
	r.Comma = c.comma
	cells, err := r.Read()
	if err != nil {
		return nil, fmt.Errorf("--csv: %s: line %d: %w", c.name, first, err)
	}
	for i := range cells {
		cells[i] = c.trim.apply(cells[i])
	}
	return cells, nil
}

// comma returns what separates the fields of --csv.
func (o *inputOptions) comma() (rune, error) {
	text, err := ",", error(nil)
	if o.columns.re != nil {
		text, err = unescape(o.columns.re.String())
	}
	r, n := utf8.DecodeRuneInString(text)
	if err != nil || n != len(text) || strings.ContainsRune("\"\r\n", r) {
		return 0, fmt.Errorf("--csv --colsep %s: want one character, such as ; or \\t", o.columns.String())
	}
	return r, nil
}
