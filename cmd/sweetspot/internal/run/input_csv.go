package run

import (
	"context"
	"encoding/csv"
	"errors"
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

func (c *records) next(ctx context.Context) ([]string, error) {
	for {
		first := c.line + 1
		text, err := c.record(ctx)
		if err != nil {
			return nil, err
		}
		if first == 1 {
			text = strings.TrimPrefix(text, "\ufeff") // the byte order mark of spreadsheets
		}
		if strings.TrimSuffix(text, "\r") == "" {
			continue // as in other lists, an empty line is not a value
		}
		r := csv.NewReader(strings.NewReader(text + "\n"))
		r.Comma = c.comma
		cells, err := r.Read()
		if err != nil {
			return nil, fmt.Errorf("--csv: %s: %w", c.name, misquoted(err, first))
		}
		return c.trim.apply(cells), nil
	}
}

// misquoted says where in the list err was, in the record that begins in line first, and how a
// quote is written.
func misquoted(err error, first int) error {
	var at *csv.ParseError
	if !errors.As(err, &at) {
		return err
	}
	want := `a quote within a field without quotes: want "a ""b""" for a "b"`
	if at.Err == csv.ErrQuote {
		want = `text after a quoted field: want the separator, or "" for a quote in the field`
	}
	return fmt.Errorf("line %d, column %d: %s", first+at.Line-1, at.Column, want)
}

func (c *records) record(ctx context.Context) (string, error) {
	row, err := c.feed.next(ctx)
	if err != nil {
		return "", err
	}
	c.line++
	if closed(row[0]) {
		return row[0], nil
	}
	first := c.line
	var text strings.Builder
	for whole := false; !whole; whole = !closed(row[0]) {
		text.WriteString(row[0] + "\n")
		if row, err = c.feed.next(ctx); err == io.EOF || text.Len() > maxValue {
			return "", fmt.Errorf("--csv: %s: a quote in line %d is not closed", c.name, first)
		} else if err != nil {
			return "", err
		}
		c.line++
	}
	return text.String() + row[0], nil
}

// closed reports whether a line ends in the state in which it began, within a quotation or not.
func closed(line string) bool { return strings.Count(line, `"`)%2 == 0 }

// comma returns what separates the fields of --csv.
func (o *inputOptions) comma() (rune, error) {
	text, err := ",", error(nil)
	if o.colsep.given {
		text, err = unescape(o.colsep.value)
	}
	r, n := utf8.DecodeRuneInString(text)
	if err != nil || n != len(text) || strings.ContainsRune("\x00\"\r\n\uFFFD", r) {
		return 0, fmt.Errorf("--csv --colsep %s: want one character, such as ; or \\t", quoteWord(o.colsep.value))
	}
	return r, nil
}
