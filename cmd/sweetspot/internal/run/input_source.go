package run

import (
	"context"
	"io"
	"os"
	"syscall"
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

// list returns the list of s, which is opened by open. Its values end in sep; empty says that empty
// lines are values.
func (s *source) list(ctx context.Context, open opener, sep string, empty bool) *feed {
	if s.given {
		return fromValues(s.name(), s.values)
	}
	return fromReader(ctx, open, s.name(), sep, empty)
}

type opener func() (io.ReadCloser, error)

func (s *source) opener() opener {
	if s.file == stdinName {
		stdin := io.NopCloser(patient{os.Stdin})
		return func() (io.ReadCloser, error) { return stdin, nil }
	}
	return func() (io.ReadCloser, error) { return os.Open(s.file) }
}

// again returns what opens s another time, and false if it is a pipe. It is called before s is read.
func (s *source) again() (open opener, ok bool) {
	switch {
	case s.given:
		return nil, true
	case s.file != stdinName:
		st, err := os.Stat(s.file)
		return s.opener(), err == nil && st.Mode().IsRegular() // a second open of a named pipe would take lines away
	}
	stdin := os.Stdin
	at, err := stdin.Seek(0, io.SeekCurrent)
	st, e := stdin.Stat()
	if err != nil || e != nil || !st.Mode().IsRegular() {
		return nil, false
	}
	return func() (io.ReadCloser, error) {
		return io.NopCloser(io.NewSectionReader(stdin, at, st.Size()-at)), nil
	}, true
}

// readable returns why s cannot be read. It waits for nothing, so it knows nothing of pipes and terminals.
func (s *source) readable() error {
	if s.given {
		return nil
	}
	if s.file == stdinName {
		if st, err := os.Stdin.Stat(); err == nil && st.IsDir() {
			return unreadable(s.name(), syscall.EISDIR)
		}
		return nil
	}
	if st, err := os.Stat(s.file); err == nil && !st.IsDir() && !st.Mode().IsRegular() {
		return nil
	}
	f, err := os.Open(s.file)
	if err == nil {
		defer f.Close()
		_, err = f.Read(make([]byte, 1))
	}
	if err == nil || err == io.EOF {
		return nil
	}
	return unreadable(s.name(), err)
}
