package run

import (
	"context"
	"io"
	"os"
)

// A source is one of the lists that the jobs take their values from.
type source struct {
	given  bool     // after ":::"
	values []string // those given
	file   string   // else the name of a file, or "-"
	linked bool     // to the source before it, by a "+"
}

const stdinName = "-"

// name returns how messages call s.
func (s *source) name() string {
	switch {
	case s.given:
		return "the list after :::"
	case s.file == stdinName:
		return "stdin"
	}
	return s.file
}

// open returns the list of s. Its values end in sep; empty says that empty lines are values.
func (s *source) open(ctx context.Context, sep string, empty bool) *feed {
	if s.given {
		return fromValues(s.name(), s.values)
	}
	return fromReader(ctx, s.opener(), s.name(), sep, empty)
}

func (s *source) opener() func() (io.ReadCloser, error) {
	if s.file == stdinName {
		stdin := io.NopCloser(os.Stdin)
		return func() (io.ReadCloser, error) { return stdin, nil }
	}
	return func() (io.ReadCloser, error) { return os.Open(s.file) }
}

// counter returns what counts the values of s ahead, or nil if it is a pipe. It is called
// before s is read.
func (s *source) counter(sep string) func(context.Context) (extent, bool) {
	if s.given {
		return func(context.Context) (e extent, ok bool) {
			e.add(s.values)
			return e, true
		}
	}
	if s.file == stdinName {
		stdin := os.Stdin
		at, err := stdin.Seek(0, io.SeekCurrent)
		if err != nil {
			return nil
		}
		return func(ctx context.Context) (extent, bool) { return countValues(ctx, stdin, at, sep) }
	}
	return func(ctx context.Context) (extent, bool) {
		if st, err := os.Stat(s.file); err != nil || !st.Mode().IsRegular() {
			return extent{}, false // a second open of a named pipe would take lines away
		}
		f, err := os.Open(s.file)
		if err != nil {
			return extent{}, false // the reader says why
		}
		defer f.Close()
		return countValues(ctx, f, 0, sep)
	}
}
