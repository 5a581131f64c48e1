package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sweetspot-go/sweetspot"
)

// A runner runs a job for each value of an input, as many at a time as its
// limiter permits.
//
// Workers take turns at leading. The leader fetches the next value and waits
// for a permit; with it in hand it passes the lead on and becomes the worker of
// that job, until the job has ended. So somebody always waits for a permit when
// there is work, which the law must see, and the goroutine that gives a permit
// back wakes the one that uses it on the same thread.
type runner struct {
	commandLine *template
	path        string // of the program; "" if it depends on the value
	in          *input
	limiter     *sweetspot.Limiter
	children    children
	printer     *printer
	console     *console
	spools      *spools
	procs       *processes
	null        *os.File
	env         []string
	verbose     bool

	starting context.Context // done when nothing more shall start
	cancel   context.CancelCauseFunc
	watch    *watch

	lead    chan struct{} // holds the lead while nobody has it
	idle    atomic.Int64  // workers that wait for it
	workers sync.WaitGroup
	seq     int64 // of the newest job; the leader's
	crowd   crowd

	done, failed atomic.Int64

	mu    sync.Mutex
	cause error // why the run stopped early
}

// children is told of the processes whose CPU time and memory are those of the
// jobs.
type children interface {
	Started(pid int)
	Reaped(pid int, cpuSeconds float64, maxRSS int64)
}

// run works off the input, and returns why it stopped early, or nil. ended is
// false if it gave up waiting for what does not end; then nothing of r may be
// used any more but what the exit code needs.
func (r *runner) run() (cause error, ended bool) {
	r.lead = make(chan struct{}, 1)
	r.lead <- struct{}{}
	r.workers.Add(1)
	go r.worker()
	done := make(chan struct{})
	go func() {
		r.workers.Wait()
		close(done)
	}()
	select {
	case <-done:
		r.procs.clear(r.watch.overdue)
		return r.stoppedBy(), true
	case <-r.watch.overdue:
		return r.stoppedBy(), false
	}
}

// stop lets nothing more start. The first cause counts, but a hang-up gives way
// to what ends the jobs.
func (r *runner) stop(cause error) {
	r.mu.Lock()
	var s stopped
	if r.cause == nil || errors.As(r.cause, &s) && s.signal == hangup {
		r.cause = cause
	}
	r.mu.Unlock()
	r.cancel(cause)
}

// abort stops and ends the running jobs.
func (r *runner) abort(cause error) {
	r.stop(cause)
	r.watch.end()
}

func (r *runner) stoppedBy() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.cause
}

// outputFailed is told of the first write that fails.
func (r *runner) outputFailed(err error) {
	if isBrokenPipe(err) {
		r.abort(errPipe)
		return
	}
	r.abort(fmt.Errorf("cannot write the output of the jobs: %w", bare(err)))
}

// worker leads, works, and leads again until there is nothing to do.
func (r *runner) worker() {
	defer r.workers.Done()
	var w scratch
	for {
		r.idle.Add(1)
		<-r.lead
		r.idle.Add(-1)
		val, err := r.claim()
		if err != nil {
			r.lead <- struct{}{}
			return
		}
		r.seq++
		seq := r.seq
		unit := r.limiter.Begin()
		if r.idle.Load() == 0 {
			r.workers.Add(1)
			go r.worker()
		}
		r.lead <- struct{}{}
		r.job(&w, seq, val, unit)
	}
}

// claim returns the next value, with a permit for it.
func (r *runner) claim() (string, error) {
	val, err := r.in.next(r.starting)
	switch {
	case r.starting.Err() != nil:
		return "", context.Cause(r.starting)
	case err != nil:
		if err != io.EOF {
			r.stop(err)
		}
		return "", err
	}
	if err := r.printer.admit(r.starting, r.seq+1); err != nil {
		return "", err
	}
	if err := r.limiter.Acquire(r.starting); err != nil {
		return "", err
	}
	return val, nil
}

// scratch is what a worker uses again for its next job.
type scratch struct {
	argv, env []string
}

// job runs one job, from a permit in hand to its output handed over.
func (r *runner) job(w *scratch, seq int64, val string, unit sweetspot.Unit) {
	w.argv = r.commandLine.expand(w.argv[:0], val, seq)
	if r.verbose {
		r.console.say(quoteCommand(w.argv))
	}
	p, s, err := r.start(w, seq, &unit)
	if err != nil {
		if s != nil {
			r.spools.put(s, 0, 0)
		}
		if !errors.Is(err, errNotStarted) {
			unit.End(sweetspot.Ignored, 1)
			r.failed.Add(1)
			r.done.Add(1)
			r.console.say(fmt.Sprintf("sweetspot run: job %d: cannot run %s: %v", seq, quoteWord(w.argv[0]), err))
		}
		r.printer.finish(seq, nil, true)
		return
	}
	r.procs.add(p)
	r.children.Started(p.pid)
	end, err := p.wait(&r.crowd)
	r.procs.remove(p)
	r.children.Reaped(p.pid, end.cpu.Seconds(), end.rss)
	if err != nil { // not possible while nobody else reaps our children
		end.failed = true
		r.console.say(fmt.Sprintf("sweetspot run: job %d: %v", seq, err))
	}
	if end.failed {
		r.failed.Add(1)
		unit.End(sweetspot.Ignored, 1)
	} else {
		unit.End(sweetspot.Done, 1)
	}
	r.done.Add(1)
	r.printer.finish(seq, s, !p.groupLives())
}

// errNotStarted says that the run was stopped before a job could start. Its
// permit has been given back.
var errNotStarted = errors.New("not started")

// scarceFor is how long a job waits for the machine to have room for a single
// process, with no other job running, before the run gives up.
const scarceFor = time.Minute

// start starts a job. Where the machine has no process, memory or file left for
// it, the permit goes back as Overloaded, which lowers the limit, and the job
// waits for another: it is not lost.
func (r *runner) start(w *scratch, seq int64, unit *sweetspot.Unit) (process, *spool, error) {
	var s *spool
	var alone time.Time // since when it is scarce with no job running
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		p, err := r.try(w, seq, &s)
		if err == nil || !scarce(err) {
			return p, s, err
		}
		// What waits must hold nothing that another job could need to start.
		if s != nil {
			s.close()
			s = nil
		}
		r.spools.close()
		unit.End(sweetspot.Overloaded, 1)
		switch {
		case r.procs.running() > 0:
			alone = time.Time{}
		case alone.IsZero():
			alone = time.Now()
		case time.Since(alone) > scarceFor:
			r.abort(fmt.Errorf("cannot start a process, with no job running, for %v: %w; see ulimit -u, ulimit -n and the memory left", scarceFor, err))
		}
		select {
		case <-time.After(pause):
		case <-r.starting.Done():
			return process{}, s, errNotStarted
		}
		if r.limiter.Acquire(r.starting) != nil {
			return process{}, s, errNotStarted
		}
		*unit = r.limiter.Begin()
	}
}

// try tries to start a job once.
func (r *runner) try(w *scratch, seq int64, s **spool) (process, error) {
	if *s == nil {
		fresh, err := r.spools.get()
		if err != nil {
			return process{}, err
		}
		*s = fresh
	}
	path := r.path
	if path == "" {
		found, err := lookup(w.argv[0])
		if err != nil {
			return process{}, err
		}
		path = found
	}
	n := strconv.FormatInt(seq, 10)
	w.env = append(append(w.env[:0], r.env...), "SWEETSPOT_SEQ="+n, "PARALLEL_SEQ="+n)
	return startProcess(path, w.argv, w.env, r.null, (*s).out, (*s).err)
}
