package search

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
)

const (
	// readSize is what a file is read in. Nine of ten source files fit, so one
	// call of the system reads them; twice as much is not faster.
	readSize = 64 << 10
	// shareSize is how much output, and how long a line, one file may hold while
	// others are searched.
	shareSize = 1 << 20
	// lineMost is the longest line that can be searched.
	lineMost = 64 << 20
)

// found is what one file had to show.
type found struct {
	Counts
	failure error         // why it could not be read to its end
	out     *bytes.Buffer // output that is still to be written
	turn    bool          // it has the turn, and passes it on when it has been written
}

// search is a unit of work: it searches a file. An error ends the whole run; a
// file that cannot be read is none.
func (r *run) search(ctx context.Context, j job) (*found, error) {
	f := &found{out: r.s.outputs.Get().(*bytes.Buffer)}
	in, err := r.s.o.Open(ctx, j.path)
	if err == nil {
		x := scan{run: r, found: f, job: j, ctx: ctx}
		err = x.read(in)
		in.Close()
		if x.over != nil {
			return nil, x.over
		}
	}
	switch {
	case err == nil:
		f.Files = 1
		if f.Lines > 0 {
			f.Matched = 1
		}
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	default:
		f.Failed, f.failure = 1, err
	}
	return f, nil
}

// recycle keeps what f held for the next file.
func (s *Searcher) recycle(f *found) {
	if f.out.Cap() <= readSize {
		f.out.Reset()
		s.outputs.Put(f.out)
	}
	f.out = nil
}

// A scan goes through one file.
type scan struct {
	*run
	*found
	job
	ctx context.Context

	buf     []byte
	line    int64 // with LineNumbers: lines before the text at hand
	binary  bool
	hidden  int64 // lines that match in the binary part
	inTurn  bool
	over    error // ends the run
	decided bool  // the rest of the file cannot change anything
}

// read searches all of in.
func (x *scan) read(in io.Reader) error {
	pooled := x.s.buffers.Get().(*[]byte)
	defer x.s.buffers.Put(pooled)
	x.buf = *pooled
	held, ended := 0, false // bytes of buf in use; the file is at its end
	for !ended && !x.decided {
		if x.ctx.Err() != nil {
			return context.Cause(x.ctx)
		}
		if held == len(x.buf) {
			if err := x.grow(held); err != nil {
				return err
			}
		}
		n, err := in.Read(x.buf[held:])
		if err != nil && err != io.EOF {
			return err
		}
		ended = err == io.EOF
		x.Bytes += int64(n)
		fresh := x.buf[held : held+n]
		x.look(fresh)
		held += n
		// Up to the last line feed; only the fresh bytes can hold one.
		whole := held
		if !ended {
			whole = held - n + bytes.LastIndexByte(fresh, '\n') + 1
			if whole == held-n {
				continue
			}
		}
		if err := x.lines(x.buf[:whole]); err != nil {
			return err
		}
		held = copy(x.buf, x.buf[whole:held])
	}
	return x.finish()
}

// grow makes room for a longer line, of which held bytes are known.
func (x *scan) grow(held int) error {
	if held >= lineMost {
		return fmt.Errorf("search %s: a line has more than %d MB", x.path, lineMost>>20)
	}
	if held >= shareSize {
		if err := x.takeTurn(); err != nil {
			return err
		}
	}
	larger := make([]byte, 2*held)
	copy(larger, x.buf[:held])
	x.buf = larger
	return nil
}

// look finds out whether the file is binary, by what was read last. In a binary
// file, NUL bytes end lines as line feeds do.
func (x *scan) look(fresh []byte) {
	if x.s.o.Binary == AsText {
		return
	}
	at := bytes.IndexByte(fresh, 0)
	if at < 0 {
		return
	}
	if x.s.o.Binary == Skip {
		x.decided = true
		x.Lines = 0
		return
	}
	x.binary = true
	for ; at < len(fresh); at++ {
		if fresh[at] == 0 {
			fresh[at] = '\n'
		}
	}
}

// lines searches text, which consists of whole lines.
func (x *scan) lines(text []byte) error {
	if x.decided {
		return nil
	}
	at, counted := 0, 0
	for {
		from, to, ok := x.s.m.next(text[at:])
		if !ok {
			break
		}
		from, to = at+from, at+to
		at = to
		x.Lines++
		switch {
		case x.s.o.Mode == Names:
			x.decided = true
			return nil
		case x.s.o.Mode == Numbers:
		case x.binary:
			x.hidden++
			x.decided = true
			return nil
		default:
			if x.s.o.LineNumbers {
				x.line += int64(bytes.Count(text[counted:from], newline))
				counted = from
			}
			if err := x.show(text[from:to]); err != nil {
				return err
			}
		}
	}
	if x.s.o.LineNumbers {
		x.line += int64(bytes.Count(text[counted:], newline))
	}
	return nil
}

var newline = []byte{'\n'}

// show puts a line into the output.
func (x *scan) show(line []byte) error {
	x.prefix(':')
	if x.s.o.LineNumbers {
		x.number(x.line+1, ':')
	}
	x.out.Write(line)
	if len(line) == 0 || line[len(line)-1] != '\n' {
		x.out.WriteByte('\n')
	}
	if x.out.Len() < shareSize && !(x.inTurn && x.out.Len() >= readSize) {
		return nil
	}
	if err := x.takeTurn(); err != nil {
		return err
	}
	x.over = x.flush(x.found)
	return x.over
}

func (x *scan) prefix(end byte) {
	if !x.s.o.NoFilename {
		x.out.WriteString(x.path)
		x.out.WriteByte(end)
	}
}

func (x *scan) number(n int64, end byte) {
	x.out.Write(strconv.AppendInt(x.out.AvailableBuffer(), n, 10))
	x.out.WriteByte(end)
}

// finish puts what is said at the end of a file into the output.
func (x *scan) finish() error {
	switch {
	case x.s.o.Mode == Names:
		if x.Lines > 0 {
			x.out.WriteString(x.path)
			x.out.WriteByte('\n')
		}
	case x.s.o.Mode == Numbers:
		x.prefix(':')
		x.number(x.Lines, '\n')
	case x.hidden > 0:
		x.out.WriteString(x.path)
		x.out.WriteString(": binary file matches\n")
	}
	return nil
}

func (x *scan) takeTurn() error {
	if x.inTurn {
		return nil
	}
	if err := x.await(x.ctx, x.index); err != nil {
		return err
	}
	x.inTurn, x.turn = true, true
	return nil
}
