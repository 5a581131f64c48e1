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

// again returns what reads the list of s another time, or nil if it is a pipe. It is called before s
// is read.
func (s *source) again(sep string, empty bool) func(context.Context) *feed {
	open := s.opener()
	switch {
	case s.given:
	case s.file == stdinName:
		stdin := os.Stdin
		at, err := stdin.Seek(0, io.SeekCurrent)
		st, e := stdin.Stat()
		if err != nil || e != nil || !st.Mode().IsRegular() {
			return nil
		}
		open = func() (io.ReadCloser, error) {
			return io.NopCloser(io.NewSectionReader(stdin, at, st.Size()-at)), nil
		}
	default:
		if st, err := os.Stat(s.file); err != nil || !st.Mode().IsRegular() {
			return nil // a second open of a named pipe would take lines away
		}
	}
	return func(ctx context.Context) *feed {
		if s.given {
			return fromValues(s.name(), s.values)
		}
		return fromReader(ctx, open, s.name(), sep, empty)
	}
}
