package spool

import (
	"errors"
	"io"
	"os"
	"sync"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/process"
)

// A Spool takes what one job writes: a file without a name for each of stdout and
// stderr. The job has that of stdout as it is, and an inlet to that of stderr.
//
// A file, not a pipe, for stdout: nobody has to read while the job runs, so a job costs no
// goroutine and no wake-up, however much it writes; memory stays flat, because the kernel
// moves it to disk; and a process that the job leaves behind can keep its output open
// without holding up anything.
type Spool struct {
	Out, Err *os.File
	Dir      string // in which the files have names; "" if they have none
	Lent     bool   // it was given to a job as it is: nobody can tell whether the job has it still
	in       *inlet // through which the job that runs writes to Err; nil if it has the file
}

// Start has f start a job that writes to the spool. Its stderr goes through an inlet, if
// there is one.
func (s *Spool) Start(through *Inlets, f func(out, err *os.File) error) error {
	stderr := s.Err
	if s.in = through.inlet(s.Err); s.in != nil {
		stderr = s.in.w
		if again := reopen(s.Out); again != nil {
			err := f(again, stderr)
			again.Close()
			if !process.OutOfFiles(err) {
				return s.started(err)
			}
		}
	}
	s.Lent = true
	return s.started(f(s.Out, stderr))
}

// started returns err. If the job did not start, it closes the inlet.
func (s *Spool) started(err error) error {
	if err != nil {
		_ = s.End()
	}
	return err
}

// End takes what a job that has ended has written, and returns an error if there was no
// room for it.
func (s *Spool) End() error {
	if s == nil || s.in == nil {
		return nil
	}
	err := s.in.end()
	s.in = nil
	return err
}

// Sizes returns how much has been written. The files are in append mode, so
// moving their offset disturbs nobody.
func (s *Spool) Sizes() (out, err int64, e error) {
	if out, e = s.Out.Seek(0, io.SeekEnd); e != nil {
		return 0, 0, e
	}
	err, e = s.Err.Seek(0, io.SeekEnd)
	return out, err, e
}

// Read returns what has been written from these offsets on, so many bytes of each. Where
// somebody has truncated a file, the rest is zero.
func (s *Spool) Read(atOut, nOut, atErr, nErr int64) (out, err []byte, e error) {
	text := make([]byte, nOut+nErr)
	out, err = text[:nOut:nOut], text[nOut:]
	if _, e = s.Out.ReadAt(out, atOut); e == nil || e == io.EOF {
		_, e = s.Err.ReadAt(err, atErr)
	}
	if e == io.EOF {
		e = nil
	}
	return out, err, e
}

// Files returns those of stdout and stderr.
func (s *Spool) Files() [2]*os.File { return [2]*os.File{s.Out, s.Err} }

// Close closes the files.
func (s *Spool) Close() {
	CloseFile(s.Out)
	CloseFile(s.Err)
}

// A Cache keeps a few empty spools, because making one costs up to a tenth of the
// shortest job.
type Cache struct {
	mu   sync.Mutex
	free []*Spool
}

// spoolsKept is how many empty spools wait for a job; each has two files.
const spoolsKept = 64

// Get returns an empty spool.
func (p *Cache) Get() (*Spool, error) {
	p.mu.Lock()
	if n := len(p.free); n > 0 {
		s := p.free[n-1]
		p.free = p.free[:n-1]
		p.mu.Unlock()
		return s, nil
	}
	p.mu.Unlock()
	out, err := NewFile()
	if err != nil {
		return nil, err
	}
	e, err := NewFile()
	if err != nil {
		CloseFile(out)
		return nil, err
	}
	stamp(out)
	stamp(e)
	return &Spool{Out: out, Err: e}, nil
}

// Unshared reports whether it is certain that no process of the job has the files open any
// more.
func (s *Spool) Unshared() bool {
	return !s.Lent && Unshared(s.Out)
}

// Put takes a spool back. It is used again only if no process has its files open any
// more. The process group of the job does not tell: a daemon has left it, and what
// that writes would be the output of another job.
func (p *Cache) Put(s *Spool, out, err int64) {
	if s.Dir != "" || !s.Unshared() || !renew(s.Out, out) || !renew(s.Err, err) {
		s.Close()
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.free) >= spoolsKept {
		s.Close()
		return
	}
	p.free = append(p.free, s)
}

// Close closes the empty spools.
func (p *Cache) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.free {
		s.Close()
	}
	p.free = nil
}

// Dir returns the directory for temporary files: TMPDIR, or what the system has.
func Dir() string {
	if os.Getenv("TMPDIR") != "" {
		return os.TempDir()
	}
	return diskDir()
}

// createTemp makes a file in the directory for temporary files, to be unlinked
// where the system lets one.
func createTemp() (*os.File, error) {
	f, err := os.CreateTemp(Dir(), "sweetspot-*")
	if p, ok := errors.AsType[*os.PathError](err); ok {
		return nil, &os.PathError{Op: "create a file for the output of jobs in", Path: Dir(), Err: p.Err}
	}
	return f, err
}
