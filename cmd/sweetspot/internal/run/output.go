package run

import (
	"bytes"
	"io"
	"sync"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/spool"
)

type output struct {
	out, err     io.ReaderAt
	spool        *spool.Spool // that these are the files of; nil: they are in memory
	atOut, atErr int64
	nOut, nError int64
	tag          string
	record       []byte // to be logged once it is printed
}

// A printer writes the outputs of jobs, each in one piece: stdout to stdout,
// stderr to stderr, in the order of completion or of the input.
type printer struct {
	console *console
	spools  *spool.Cache
	failed  func(error) // told of the first write that fails
	busy    func()      // called when writing may block the caller of flush; may be nil
	ordered bool
	log     *joblog   // nil: none
	follow  *follower // nil: outputs are printed in one piece

	mu       sync.Mutex
	next     int64             // ordered: the job to print next
	early    map[int64]*output // ordered: finished before their turn; nil if they wrote nothing
	ready    []*output         // in their turn
	printing bool              // somebody writes; others only add to ready
	broken   bool              // a write failed; nothing is written any more
	memory   int64             // bytes held in memory
	disk     int64             // bytes held in files
	files    int               // spools held
	bounds   bounds            // of these
	freed    chan struct{}     // closed when room is made; nil if nobody waits
	barred   int64             // the job that waits for room; 0 if none does
	said     bool              // that one waits
	buf      []byte            // of the goroutine that prints
}

func newPrinter(c *console, s *spool.Cache, ordered bool, failed func(error)) *printer {
	return &printer{console: c, spools: s, ordered: ordered, failed: failed, next: 1, early: make(map[int64]*output), bounds: theBounds()}
}

// turn reports whether lines of a job that runs may be printed.
func (p *printer) turn(seq int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.ordered || seq == p.next && !p.printing && len(p.ready) == 0
}

// finish takes over the output of a job and prints what is in its turn. Of a job without a spool
// there is none.
func (p *printer) finish(j *job) {
	p.take(j)
	p.flush()
}

// take takes over the output of a job. It does not print, so it is soon done.
func (p *printer) take(j *job) {
	o, err := p.collect(j)
	p.lost(err)
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.ordered && j.seq != p.next:
		p.early[j.seq] = o
	case p.ordered:
		p.advance(o)
	case o != nil:
		p.ready = append(p.ready, o)
	}
}

// flush prints what is in its turn, unless somebody does so already.
func (p *printer) flush() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.printing {
		p.printing = true
		p.print()
		p.printing = false
	}
}

// collect takes an output out of its spool: into memory if it is small, or
// with the spool. It returns nil if there is nothing to print.
func (p *printer) collect(j *job) (*output, error) {
	s := j.spool
	if s == nil {
		p.log.add(p.log.record(j, 0))
		return nil, nil
	}
	o := &output{out: s.Out, err: s.Err, spool: s, tag: j.tag}
	if p.follow != nil {
		o.atOut, o.atErr = p.follow.leave(j.seq)
	}
	left := j.kept != nil && !j.cut && j.kept.left(s, j.proc) // or it might write, and end, after that
	nOut, nErr, err := s.Sizes()
	if err == nil && left {
		err = j.kept.detach(s, nOut, nErr)
	}
	if err == nil && j.kept != nil {
		err = j.kept.end(j.cut)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	o.nOut, o.nError = max(nOut-o.atOut, 0), max(nErr-o.atErr, 0)
	o.record = p.log.record(j, nOut)
	n := o.nOut + o.nError
	if n == 0 || j.kept != nil {
		p.log.add(o.record)
		o.record = nil
	}
	if n == 0 {
		p.spools.Put(s, nOut, nErr)
		return nil, nil
	}
	p.mu.Lock()
	inMemory := n <= smallOutput && p.memory+n <= p.bounds.memory
	if inMemory {
		p.memory += n
	} else {
		p.files++
		p.disk += n
	}
	p.memory += int64(len(o.record))
	p.mu.Unlock()
	if !inMemory {
		return o, nil
	}
	stdout, stderr, err := s.Read(o.atOut, o.nOut, o.atErr, o.nError)
	o.out, o.err, o.spool, o.atOut, o.atErr = bytes.NewReader(stdout), bytes.NewReader(stderr), nil, 0, 0
	if err != nil {
		s.Close()
		return o, err
	}
	p.spools.Put(s, nOut, nErr)
	return o, nil
}

// advance moves the next output, and those that waited behind it, to ready.
func (p *printer) advance(o *output) {
	for {
		if o != nil {
			p.ready = append(p.ready, o)
		}
		p.next++
		var there bool
		if o, there = p.early[p.next]; !there {
			break
		}
		delete(p.early, p.next)
	}
	p.makeRoom()
}

// shortOutput is how many bytes a pipe that has room takes without blocking.
const shortOutput = 4 << 10

// print writes what is ready. It is called with p.mu held, and gives it up
// while it writes.
func (p *printer) print() {
	for first := true; len(p.ready) > 0; first = false {
		o := p.ready[0]
		p.ready[0] = nil
		if p.ready = p.ready[1:]; len(p.ready) == 0 {
			p.ready = nil
		}
		broken := p.broken
		n := o.nOut + o.nError
		p.mu.Unlock()
		if p.busy != nil && (n > shortOutput || !first || !takesAtOnce()) {
			p.busy()
		}
		var err error
		if !broken {
			err = p.console.job(func(stdout, stderr io.Writer) error { return p.write(o, stdout, stderr) })
			if err == nil {
				p.log.add(o.record)
			}
		}
		if o.spool != nil {
			o.spool.Close()
		}
		p.mu.Lock()
		if o.spool != nil {
			p.files--
			p.disk -= n
		} else {
			p.memory -= n
		}
		p.memory -= int64(len(o.record))
		p.makeRoom()
		p.fail(err)
	}
}

func (p *printer) write(o *output, stdout, stderr io.Writer) error {
	if p.buf == nil {
		p.buf = make([]byte, 256<<10)
	}
	var l *liner
	if p.follow != nil || o.tag != "" {
		l = &liner{tag: o.tag}
	}
	if err := copyOutput(stdout, o.out, o.atOut, o.nOut, p.buf, l); err != nil {
		return err
	}
	return copyOutput(stderr, o.err, o.atErr, o.nError, p.buf, l)
}

// copyOutput copies a part of a file by a buffer, in lines if there is a liner.
func copyOutput(dst io.Writer, src io.ReaderAt, at, n int64, buf []byte, l *liner) error {
	for end := at + n; at < end; {
		m, err := src.ReadAt(buf[:min(int64(len(buf)), end-at)], at)
		if m == 0 {
			if err == io.EOF {
				break // somebody truncated the file meanwhile
			}
			return err
		}
		at += int64(m)
		text := buf[:m]
		if l != nil {
			text = l.append(nil, text)
			if at >= end { // in one write: another process may write to the same file
				text = l.end(text)
			}
		}
		if err := writeAll(dst, text); err != nil {
			return err
		}
	}
	if l != nil {
		return writeAll(dst, l.end(nil))
	}
	return nil
}

func writeAll(w io.Writer, b []byte) error {
	if len(b) == 0 {
		return nil
	}
	_, err := w.Write(b)
	return err
}

// lost records that output is lost, if there is an error.
func (p *printer) lost(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fail(err)
}

// fail is lost, called with p.mu held.
func (p *printer) fail(err error) {
	if err != nil && !p.broken {
		p.broken = true
		p.failed(err)
	}
}
