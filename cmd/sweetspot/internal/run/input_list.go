package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
)

const (
	// chunkSize is how much input is read at a time: large enough that a
	// million short lines cost some hundred reads, small enough to be nothing.
	chunkSize = 64 << 10
	// maxValue is the longest value. Linux refuses a longer argument
	// (MAX_ARG_STRLEN, 32 pages with the final NUL).
	maxValue = 128<<10 - 1
)

// The separators that have a meaning of their own: empty lines are no values,
// and only values that end in NUL may hold anything else.
const (
	newline = "\n"
	nul     = "\x00"
)

// A feed yields the values of one source, one after the other. It reads ahead by
// a few chunks at most, whatever its length.
//
// Only one goroutine at a time may call next.
type feed struct {
	tally
	name    string // in messages
	batches <-chan batch
	values  []string // of the batch at hand
	err     error
}

// A batch is what one read brought: the complete values in it.
type batch struct {
	values []string
	err    error // why there are no more; io.EOF at the end
}

// fromValues returns a feed of the values given after ":::".
func fromValues(name string, values []string) *feed {
	in := &feed{name: name, values: values, err: io.EOF}
	in.seen.Store(int64(len(values)))
	in.ended.Store(true)
	return in
}

// fromReader returns a feed that opens a file and reads values that end in sep; empty says
// that empty lines are values, too. name is used in messages.
func fromReader(ctx context.Context, open opener, name, sep string, empty bool) *feed {
	return readAhead(ctx, open, name, 1, func(r io.Reader) func() batch {
		s := splitter{r: r, name: name, sep: sep, empty: empty, buf: make([]byte, chunkSize)}
		return s.read
	})
}

// readAhead returns a feed of what the function that cut returns makes of a file. So many batches
// wait besides the newest. The reading goroutine ends with the file, or at its next read
// once ctx is done.
func readAhead(ctx context.Context, open opener, name string, waiting int, cut func(io.Reader) func() batch) *feed {
	ch := make(chan batch, waiting)
	in := &feed{name: name, batches: ch}
	go func() {
		defer close(ch)
		send := func(b batch) bool {
			in.seen.Add(int64(len(b.values)))
			if b.err != nil {
				in.ended.Store(true)
			}
			select {
			case ch <- b:
				return b.err == nil
			case <-ctx.Done():
				return false
			}
		}
		f, err := open()
		if err != nil {
			send(batch{err: unreadable(name, err)})
			return
		}
		defer f.Close()
		for next := cut(f); send(next()); {
		}
	}()
	return in
}

// next returns the next value, as a row of one. The error is io.EOF at the end
// of the list and the cause of ctx once it is done. A row is a part of what was
// read, so it costs nothing.
func (f *feed) next(ctx context.Context) ([]string, error) {
	for len(f.values) == 0 {
		if f.err != nil {
			return nil, f.err
		}
		select {
		case b, open := <-f.batches:
			if !open {
				return nil, context.Cause(ctx)
			}
			f.values, f.err = b.values, b.err
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	row := f.values[:1:1]
	f.values = f.values[1:]
	return row, nil
}

// A splitter cuts a stream into values.
type splitter struct {
	r     io.Reader
	name  string
	sep   string
	empty bool // empty lines are values, too
	buf   []byte
	held  int   // bytes of an unfinished value at the start of buf
	line  int64 // values complete so far, empty ones included
}

// read returns the values that the next read completes, possibly none. A last
// value needs no separator. Empty lines are no values: they come from a stray
// key press more often than from a wish, and "rm -r dir/{}" must not meet one.
// Between other separators an empty value is meant and kept.
func (s *splitter) read() batch {
	if s.held == len(s.buf) {
		if s.held > maxValue {
			return batch{err: fmt.Errorf("%s: %s %d is longer than %d bytes, the most that an argument can hold", s.name, s.unit(), s.line+1, maxValue)}
		}
		s.buf = append(s.buf, make([]byte, len(s.buf))...)
	}
	n, err := s.r.Read(s.buf[s.held:])
	full := s.buf[:s.held+n]
	values, rest, bad := s.cut(string(full), errors.Is(err, io.EOF))
	s.held = copy(s.buf, full[len(full)-rest:])
	switch {
	case bad != nil:
		err = bad
	case err != nil && !errors.Is(err, io.EOF):
		err = unreadable(s.name, err)
	}
	return batch{values, err}
}

// cut returns the values in text, which share its memory, and how long what follows them is: a part of a
// value, unless text is the last.
func (s *splitter) cut(text string, last bool) (values []string, rest int, err error) {
	values = make([]string, 0, 1+strings.Count(text, s.sep))
	for text != "" {
		v, after, whole := strings.Cut(text, s.sep)
		if !whole && !last {
			break
		}
		text = after
		s.line++
		switch {
		case len(v) > maxValue:
			return values, 0, fmt.Errorf("%s: %s %d is longer than %d bytes, the most that an argument can hold", s.name, s.unit(), s.line, maxValue)
		case s.sep != nul && strings.IndexByte(v, 0) >= 0:
			return values, 0, fmt.Errorf("%s: %s %d holds a NUL byte, which no argument can: use -0 if the values end in NUL", s.name, s.unit(), s.line)
		case v != "" || s.sep != newline || s.empty:
			values = append(values, v)
		}
	}
	return values, len(text), nil
}

func (s *splitter) unit() string {
	if s.sep == newline {
		return "line"
	}
	return "value"
}

func unreadable(name string, err error) error {
	return fmt.Errorf("cannot read %s: %w", name, bare(err))
}

// bare returns an error without Go's "open" and the path, where our own message
// names the file.
func bare(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}
