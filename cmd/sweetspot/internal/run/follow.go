package run

import (
	"bytes"
	"io"
	"math"
	"os"
	"sync"
	"time"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/spool"
)

const (
	// followEvery is how often a follower looks for new lines: faster than people
	// notice. Each job adds to it, which bounds the cost to some 2 % of a CPU: a
	// look at a job without news takes about 2 µs.
	followEvery = 10 * time.Millisecond
	followEach  = 100 * time.Microsecond
	// followMost is how much of one job is printed before the others have their
	// turn.
	followMost = 1 << 20
)

// A follower prints the lines of running jobs as they come. It looks at their
// files from time to time: nobody has to wake it, and a job that writes faster
// than we print is not held up.
type follower struct {
	printer *printer
	routine

	mu    sync.Mutex
	tails map[int64]*tail

	write sync.Mutex // of who prints
	buf   []byte
}

// A tail is what of a running job has not been printed yet.
type tail struct {
	mu       sync.Mutex
	spool    *spool.Spool
	tag      string
	out, err position
	left     bool // it is not followed any more
}

// A position is how far a file has been printed, and how far beyond it is known
// to hold no newline.
type position struct{ at, seen int64 }

// followLines prints the lines of jobs as they come. It is called before the
// first job.
func (p *printer) followLines() {
	p.follow = &follower{printer: p, buf: make([]byte, 256<<10), tails: make(map[int64]*tail)}
	p.follow.repeat(followEvery, p.follow.look)
}

// join begins to follow a job.
func (f *follower) join(j *job) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.tails[j.seq] = &tail{spool: j.spool, tag: j.tag}
}

// leave ends it and returns how much of both streams has been printed.
func (f *follower) leave(seq int64) (out, err int64) {
	f.mu.Lock()
	t := f.tails[seq]
	delete(f.tails, seq)
	f.mu.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.left = true
	return t.out.at, t.err.at
}

// drop prints the lines that there are, if it is the job's turn, and leaves it.
func (f *follower) drop(seq int64) {
	f.mu.Lock()
	t := f.tails[seq]
	f.mu.Unlock()
	if f.printer.turn(seq) {
		f.printer.lost(f.print(t, math.MaxInt64))
	}
	f.leave(seq)
}

// look prints what is new, and returns when to do so again: never after a failure.
func (f *follower) look() time.Duration {
	f.mu.Lock()
	var live []*tail
	for seq, t := range f.tails {
		if f.printer.turn(seq) {
			live = append(live, t)
		}
	}
	f.mu.Unlock()
	for _, t := range live {
		if err := f.print(t, followMost); err != nil {
			f.printer.lost(err)
			return never
		}
	}
	return followEvery + time.Duration(len(live))*followEach
}

// print prints the complete lines of a job, of each stream about as much as most.
func (f *follower) print(t *tail, most int64) error {
	f.write.Lock()
	defer f.write.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.left {
		return nil
	}
	if err := f.advance(t, most, &t.out, t.spool.Out, func(stdout, _ io.Writer) io.Writer { return stdout }); err != nil {
		return err
	}
	return f.advance(t, most, &t.err, t.spool.Err, func(_, stderr io.Writer) io.Writer { return stderr })
}

// advance prints the complete lines of one stream.
func (f *follower) advance(t *tail, most int64, p *position, file *os.File, which func(stdout, stderr io.Writer) io.Writer) error {
	var l *liner // whole lines need none
	if t.tag != "" {
		l = &liner{tag: t.tag}
	}
	began := p.seen
	for p.seen-began < most {
		m, err := file.ReadAt(f.buf, p.seen)
		if m == 0 {
			if err == io.EOF {
				err = nil
			}
			return err
		}
		i := bytes.LastIndexByte(f.buf[:m], '\n')
		if i < 0 {
			p.seen += int64(m)
			continue
		}
		end := p.seen + int64(i) + 1
		err = f.printer.console.job(func(stdout, stderr io.Writer) error {
			return copyOutput(which(stdout, stderr), file, p.at, end-p.at, f.buf, l)
		})
		if err != nil {
			return err
		}
		if t.spool.Dir == "" {
			spool.Discard(file, p.at, end)
		}
		p.at, p.seen = end, end
	}
	return nil
}
