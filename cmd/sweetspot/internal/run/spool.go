package run

import (
	"errors"
	"io"
	"os"
	"sync"
)

// A spool takes what one job writes: a file without a name for each of stdout and
// stderr. The job has that of stdout as it is, and an [inlet] to that of stderr.
//
// A file, not a pipe, for stdout: nobody has to read while the job runs, so a job costs
// no goroutine and no wake-up, however much it writes; memory stays flat, for the kernel
// moves it to disk; and a process that the job leaves behind can keep its output open
// without holding up anything.
type spool struct {
	out, err *os.File
	kept     *keeping // by --results; nil if its files have no names
	lent     bool     // it was given to a job as it is: nobody can tell whether the job has it still
	in       *inlet   // through which the job that runs writes to err; nil if it has the file
}

// start has f start a job that writes to the spool. Its stderr goes through an inlet, if
// there is one.
func (s *spool) start(through *inlets, f func(out, err *os.File) (process, error)) (process, error) {
	stderr := s.err
	if s.in = through.inlet(s.err); s.in != nil {
		stderr = s.in.w
		if again := reopen(s.out); again != nil {
			p, err := f(again, stderr)
			again.Close()
			if !ownFiles(err) {
				return p, s.started(err)
			}
		}
	}
	s.lent = true
	p, err := f(s.out, stderr)
	return p, s.started(err)
}

// started returns err, and lets go of the inlet if there is no job to use it.
func (s *spool) started(err error) error {
	if err != nil {
		_ = s.end()
	}
	return err
}

// end takes what a job that has ended has written, and returns an error if there was no
// room for it.
func (s *spool) end() error {
	if s == nil || s.in == nil {
		return nil
	}
	err := s.in.end()
	s.in = nil
	return err
}

// sizes returns how much has been written. The files are in append mode, so
// moving their offset disturbs nobody.
func (s *spool) sizes() (out, err int64, e error) {
	if out, e = s.out.Seek(0, io.SeekEnd); e != nil {
		return 0, 0, e
	}
	err, e = s.err.Seek(0, io.SeekEnd)
	return out, err, e
}

// read returns what has been written from these offsets on, so many bytes of each. Where
// somebody has truncated a file, the rest is zero.
func (s *spool) read(atOut, nOut, atErr, nErr int64) (out, err []byte, e error) {
	text := make([]byte, nOut+nErr)
	out, err = text[:nOut:nOut], text[nOut:]
	if _, e = s.out.ReadAt(out, atOut); e == nil || e == io.EOF {
		_, e = s.err.ReadAt(err, atErr)
	}
	if e == io.EOF {
		e = nil
	}
	return out, err, e
}

// files returns those of stdout and stderr.
func (s *spool) files() [2]*os.File { return [2]*os.File{s.out, s.err} }

func (s *spool) close() {
	closeSpoolFile(s.out)
	closeSpoolFile(s.err)
}

// spools keeps a few empty spools, because making one costs up to a tenth of the
// shortest job.
type spools struct {
	mu   sync.Mutex
	free []*spool
}

// spoolsKept is how many empty spools wait for a job; each has two files.
const spoolsKept = 64

// get returns an empty spool.
func (p *spools) get() (*spool, error) {
	p.mu.Lock()
	if n := len(p.free); n > 0 {
		s := p.free[n-1]
		p.free = p.free[:n-1]
		p.mu.Unlock()
		return s, nil
	}
	p.mu.Unlock()
	out, err := newSpoolFile()
	if err != nil {
		return nil, err
	}
	e, err := newSpoolFile()
	if err != nil {
		closeSpoolFile(out)
		return nil, err
	}
	stamp(out)
	stamp(e)
	return &spool{out: out, err: e}, nil
}

// unshared reports whether it is certain that no process of the job has the files open any
// more.
func (s *spool) unshared() bool {
	return !s.lent && unshared(s.out)
}

// put takes a spool back. It is used again only if no process has its files open any
// more. The process group of the job does not tell: a daemon has left it, and what
// that writes would be the output of another job.
func (p *spools) put(s *spool, out, err int64) {
	if s.kept != nil || !s.unshared() || !renew(s.out, out) || !renew(s.err, err) {
		s.close()
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.free) >= spoolsKept {
		s.close()
		return
	}
	p.free = append(p.free, s)
}

// close closes the empty spools.
func (p *spools) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.free {
		s.close()
	}
	p.free = nil
}

// spoolDir returns the directory for temporary files: TMPDIR, or what the system has.
func spoolDir() string {
	if os.Getenv("TMPDIR") != "" {
		return os.TempDir()
	}
	return diskDir()
}

// createTemp makes a file in the directory for temporary files, to be unlinked
// where the system lets one.
func createTemp() (*os.File, error) {
	f, err := os.CreateTemp(spoolDir(), "sweetspot-*")
	if p, ok := errors.AsType[*os.PathError](err); ok {
		return nil, &os.PathError{Op: "create a file for the output of jobs in", Path: spoolDir(), Err: p.Err}
	}
	return f, err
}
