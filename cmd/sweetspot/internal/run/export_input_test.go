package run

import (
	"context"
	"io"
)

var CountValues = countValues

// Expand returns the words of a command for one value.
func Expand(words []string, mark, val string, seq int64) []string {
	t, err := newTemplate(words, mark, single)
	if err != nil {
		panic(err)
	}
	return t.expand(nil, []string{val}, place{seq, 1})
}

// ExpandShell is Expand for the line of -c.
func ExpandShell(line, mark, val string, seq int64) ([]string, error) {
	t, err := newShellTemplate(line, mark, single)
	if err != nil {
		return nil, err
	}
	return t.expand(nil, []string{val}, place{seq, 1}), nil
}

// List is the list of one source.
type List struct{ l *list }

func ReadValues(ctx context.Context, r io.Reader, sep string) List {
	return List{fromReader(ctx, func() (io.ReadCloser, error) { return io.NopCloser(r), nil }, "list", sep)}
}

// Next returns the next value.
func (l List) Next(ctx context.Context) (string, error) {
	row, err := l.l.next(ctx)
	if err != nil {
		return "", err
	}
	return row[0], nil
}

// Seen returns how many values have been read ahead.
func (l List) Seen() int64 { return l.l.seen.Load() }
