package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync/atomic"
)

const (
	// chunkSize is how much input is read at a time: large enough that a
	// million short lines cost some hundred reads, small enough to be nothing.
	chunkSize = 64 << 10
	// maxValue is the longest value. Linux refuses a longer argument
	// (MAX_ARG_STRLEN, 32 pages with the final NUL).
	maxValue = 128<<10 - 1
)

// input yields the values of the jobs, one after the other. It reads ahead by
// a few chunks at most, whatever the length of the list.
//
// Only one goroutine at a time may call next.
type input struct {
	batches <-chan batch
	values  []string // of the batch at hand
	err     error

	seen  atomic.Int64 // values read so far
	ended atomic.Bool  // seen is all there is

	// count counts the values ahead, where that is possible.
	count func(context.Context) (n int64, ok bool)
}

// A batch is what one read brought: the complete values in it.
type batch struct {
	values []string
	err    error // why there are no more; io.EOF at the end
}

// fromValues returns an input of the values given after ":::".
func fromValues(values []string) *input {
	in := &input{values: values, err: io.EOF}
	in.seen.Store(int64(len(values)))
	in.ended.Store(true)
	return in
}

// fromReader returns an input that opens a file and reads values that end in
// sep, '\n' or NUL. name is used in messages. The reading goroutine ends with
// the input, or at its next read once ctx is done.
func fromReader(ctx context.Context, open func() (io.ReadCloser, error), name string, sep byte) *input {
	ch := make(chan batch, 1)
	in := &input{batches: ch}
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
		s := splitter{r: f, name: name, sep: sep, buf: make([]byte, chunkSize)}
		for send(s.read()) {
		}
	}()
	return in
}

// next returns the next value. The error is io.EOF at the end of the input and
// the cause of ctx once it is done.
func (in *input) next(ctx context.Context) (string, error) {
	for len(in.values) == 0 {
		if in.err != nil {
			return "", in.err
		}
		select {
		case b, open := <-in.batches:
			if !open {
				return "", context.Cause(ctx)
			}
			in.values, in.err = b.values, b.err
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
	v := in.values[0]
	in.values = in.values[1:]
	return v, nil
}

// A splitter cuts a stream into values.
type splitter struct {
	r    io.Reader
	name string
	sep  byte
	buf  []byte
	held int   // bytes of an unfinished value at the start of buf
	line int64 // values complete so far, empty ones included
}

// read returns the values that the next read completes, possibly none. A last
// value needs no separator. Empty lines are no values: they come from a stray
// key press more often than from a wish, and "rm -r dir/{}" must not meet one.
// Between NULs an empty value is meant and kept.
func (s *splitter) read() batch {
	if s.held == len(s.buf) {
		if s.held > maxValue {
			return batch{err: fmt.Errorf("%s: %s %d is longer than %d bytes, the most that an argument can hold", s.name, s.unit(), s.line+1, maxValue)}
		}
		s.buf = append(s.buf, make([]byte, len(s.buf))...)
	}
	n, err := s.r.Read(s.buf[s.held:])
	full := s.buf[:s.held+n]
	end := bytes.LastIndexByte(full[s.held:], s.sep) + 1
	if end > 0 {
		end += s.held
	}
	if err != nil && end < len(full) {
		end = len(full) // the last value
	}
	values, bad := s.cut(string(full[:end]))
	s.held = copy(s.buf, full[end:])
	switch {
	case bad != nil:
		err = bad
	case err != nil && !errors.Is(err, io.EOF):
		err = unreadable(s.name, err)
	}
	return batch{values, err}
}

// cut splits complete text. The values share its memory.
func (s *splitter) cut(text string) ([]string, error) {
	if text == "" {
		return nil, nil
	}
	values := make([]string, 0, 1+strings.Count(text, string(rune(s.sep))))
	for text != "" {
		v := text
		if i := strings.IndexByte(text, s.sep); i >= 0 {
			v, text = text[:i], text[i+1:]
		} else {
			text = ""
		}
		s.line++
		switch {
		case len(v) > maxValue:
			return values, fmt.Errorf("%s: %s %d is longer than %d bytes, the most that an argument can hold", s.name, s.unit(), s.line, maxValue)
		case s.sep != 0 && strings.IndexByte(v, 0) >= 0:
			return values, fmt.Errorf("%s: line %d holds a NUL byte, which no argument can: use -0 if the values end in NUL", s.name, s.line)
		case v != "" || s.sep == 0:
			values = append(values, v)
		}
	}
	return values, nil
}

func (s *splitter) unit() string {
	if s.sep == 0 {
		return "value"
	}
	return "line"
}

// unreadable says what cannot be read and why.
func unreadable(name string, err error) error {
	return fmt.Errorf("cannot read %s: %w", name, bare(err))
}

// bare returns an error without Go's "open" and the path, where our own message
// names the file.
func bare(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// countValues counts the values of a regular file from an offset, for the
// status line. ok is false if f is something else or ctx ends first.
func countValues(ctx context.Context, f *os.File, at int64, sep byte) (n int64, ok bool) {
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() {
		return 0, false
	}
	s := splitter{r: io.NewSectionReader(f, at, st.Size()-at), sep: sep, buf: make([]byte, chunkSize)}
	for ctx.Err() == nil {
		b := s.read()
		n += int64(len(b.values))
		if b.err != nil {
			return n, b.err == io.EOF
		}
	}
	return n, false
}
