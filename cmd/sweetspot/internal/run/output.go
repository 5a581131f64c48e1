package run

import (
	"context"
	"io"
	"sync"
)

// Bounds of what may be finished but not yet printed: because stdout is slow,
// or with -k because an earlier job still runs. Beyond them no job is started,
// so memory, files and disk stay bounded. The job that is waited for has been
// started before and runs on, so this cannot lock up.
const (
	smallOutput  = 64 << 10 // an output up to this size may wait in memory,
	memoryHeld   = 32 << 20 // up to this sum,
	filesHeld    = 128      // larger ones in so many spools,
	diskHeld     = 1 << 30  // up to this sum
	windowOfJobs = 16 << 10 // with -k, so many jobs are begun ahead of the next to print
)

// An output is what one job wrote.
type output struct {
	out, err     []byte // in memory, or
	spool        *spool // in files
	nOut, nError int64
}

// A printer writes the outputs of jobs, each in one piece: stdout to stdout,
// stderr to stderr, in the order of completion or of the input.
type printer struct {
	console *console
	spools  *spools
	failed  func(error) // told of the first write that fails
	ordered bool

	mu       sync.Mutex
	next     int64             // ordered: the job to print next
	early    map[int64]*output // ordered: finished before their turn; nil if they wrote nothing
	ready    []*output         // in their turn
	printing bool              // somebody writes; others only add to ready
	broken   bool              // a write failed; nothing is written any more
	memory   int64             // bytes held in memory
	disk     int64             // bytes held in files
	files    int               // spools held
	freed    chan struct{}     // closed when room is made; nil if nobody waits
	buf      []byte
}

func newPrinter(c *console, s *spools, ordered bool, failed func(error)) *printer {
	return &printer{console: c, spools: s, ordered: ordered, failed: failed, next: 1, early: make(map[int64]*output)}
}

// admit waits until job number seq may begin, and returns the cause of ctx if
// that ends first.
func (p *printer) admit(ctx context.Context, seq int64) error {
	for {
		p.mu.Lock()
		if p.files < filesHeld && p.disk < diskHeld && (!p.ordered || seq-p.next < windowOfJobs) {
			p.mu.Unlock()
			return nil
		}
		if p.freed == nil {
			p.freed = make(chan struct{})
		}
		freed := p.freed
		p.mu.Unlock()
		select {
		case <-freed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// finish takes over the output of job number seq; clean says that none of the
// job's processes is left that might write more. A nil spool is a job without
// output.
func (p *printer) finish(seq int64, s *spool, clean bool) {
	o, err := p.collect(s, clean)
	p.mu.Lock()
	if err != nil {
		p.fail(err)
	}
	switch {
	case !p.ordered && o == nil:
		p.mu.Unlock()
		return
	case !p.ordered:
		p.ready = append(p.ready, o)
	case seq != p.next:
		p.early[seq] = o
		p.mu.Unlock()
		return
	default:
		p.advance(o)
	}
	if p.printing {
		p.mu.Unlock()
		return
	}
	p.printing = true
	p.print()
	p.printing = false
	p.mu.Unlock()
}

// collect takes an output out of its spool: into memory if it is small, or
// with the spool. It returns nil if nothing was written.
func (p *printer) collect(s *spool, clean bool) (*output, error) {
	if s == nil {
		return nil, nil
	}
	nOut, nErr, err := s.sizes()
	if err != nil {
		s.close()
		return nil, err
	}
	n := nOut + nErr
	if n == 0 {
		p.recycle(s, 0, 0, clean)
		return nil, nil
	}
	o := &output{spool: s, nOut: nOut, nError: nErr}
	p.mu.Lock()
	inMemory := n <= smallOutput && p.memory+n <= memoryHeld
	if inMemory {
		p.memory += n
	} else {
		p.files++
		p.disk += n
	}
	p.mu.Unlock()
	if !inMemory {
		return o, nil
	}
	text := make([]byte, n)
	o.out, o.err, o.spool = text[:nOut], text[nOut:], nil
	if _, err := s.out.ReadAt(o.out, 0); err != nil && err != io.EOF {
		s.close()
		return o, err
	}
	if _, err := s.err.ReadAt(o.err, 0); err != nil && err != io.EOF {
		s.close()
		return o, err
	}
	p.recycle(s, nOut, nErr, clean)
	return o, nil
}

func (p *printer) recycle(s *spool, nOut, nErr int64, clean bool) {
	if clean {
		p.spools.put(s, nOut, nErr)
	} else {
		s.close()
	}
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

// print writes what is ready. It is called with p.mu held, and gives it up
// while it writes.
func (p *printer) print() {
	for len(p.ready) > 0 {
		o := p.ready[0]
		p.ready[0] = nil
		if p.ready = p.ready[1:]; len(p.ready) == 0 {
			p.ready = nil
		}
		broken := p.broken
		p.mu.Unlock()
		var err error
		if !broken {
			err = p.console.job(func(stdout, stderr io.Writer) error { return p.write(o, stdout, stderr) })
		}
		n := o.nOut + o.nError
		if o.spool != nil {
			o.spool.close()
		}
		p.mu.Lock()
		if o.spool != nil {
			p.files--
			p.disk -= n
		} else {
			p.memory -= n
		}
		p.makeRoom()
		if err != nil {
			p.fail(err)
		}
	}
}

func (p *printer) write(o *output, stdout, stderr io.Writer) error {
	if o.spool == nil {
		if err := writeAll(stdout, o.out); err != nil {
			return err
		}
		return writeAll(stderr, o.err)
	}
	if p.buf == nil {
		p.buf = make([]byte, 256<<10)
	}
	if err := p.copy(stdout, o.spool.out, o.nOut); err != nil {
		return err
	}
	return p.copy(stderr, o.spool.err, o.nError)
}

// copy copies what the job had written when it ended. Only one goroutine
// prints, so it has the buffer to itself.
func (p *printer) copy(dst io.Writer, src io.ReaderAt, n int64) error {
	for at := int64(0); at < n; {
		m, err := src.ReadAt(p.buf[:min(int64(len(p.buf)), n-at)], at)
		if m == 0 {
			if err == io.EOF {
				return nil // somebody truncated the file meanwhile
			}
			return err
		}
		if err := writeAll(dst, p.buf[:m]); err != nil {
			return err
		}
		at += int64(m)
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

// fail records that output is lost. It is called with p.mu held.
func (p *printer) fail(err error) {
	if !p.broken {
		p.broken = true
		p.failed(err)
	}
}

// makeRoom wakes those who wait to begin a job. It is called with p.mu held.
func (p *printer) makeRoom() {
	if p.freed != nil {
		close(p.freed)
		p.freed = nil
	}
}
