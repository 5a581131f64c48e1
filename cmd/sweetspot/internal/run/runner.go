package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/process"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/spool"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/template"
	"github.com/sweetspot-go/sweetspot/internal/exitcode"
	"github.com/sweetspot-go/sweetspot/sense"
)

// A runner runs a job for each value of an input, as many at a time as its
// limiter permits.
//
// Workers take turns at leading. The leader fetches the next value and waits
// for a permit; with it in hand it passes the lead on and becomes the worker of
// that job, until the job has ended. So somebody always waits for a permit when
// there is work, which the law must see, and the goroutine that gives a permit
// back wakes the one that uses it on the same thread.
//
// With a fixed number of jobs there is no law, and there are no more workers than
// permits. So a worker finds its permit free, and no job has to wake a goroutine,
// which takes a tenth of the time of the shortest jobs.
type runner struct {
	commandLine *template.Template
	path        string // of the program; "" if it depends on the value
	in          *input
	limiter     *sweetspot.Limiter
	gate        *gate
	refuge      *refuge
	children    *sense.Children // learns of the processes
	cpus        float64         // for us, at the start
	printer     *printer
	console     *console
	spools      *spool.Cache
	inlets      *spool.Inlets
	procs       *process.Set
	env         []string
	verbose     bool
	tagged      bool       // --tag
	quiet       bool       // failures are not named
	results     *results   // nil: not kept
	held        []*os.File // what this run has reserved
	lesson      *lesson    // what it learns; nil: nothing
	tries       int        // of each job; 0 for any number
	overload    statusesFlag
	halter      *halter
	past        *history // what the joblog holds; nil if nothing, or once it has been worked in
	failedAgain bool     // jobs that failed then run again

	starting context.Context // done when nothing more shall start
	cancel   context.CancelCauseFunc
	watch    *watch
	patrol   *patrol
	brake    *brake
	hand     *hand

	settled bool          // the user has fixed the number of jobs; only a signal changes it
	lead    chan struct{} // full while nobody leads; closed when no work is left
	idle    atomic.Int64  // workers that wait for it
	working atomic.Int64  // workers that have a permit
	workers sync.WaitGroup
	seq     int64  // of the newest value; the leader's
	todo    []todo // the leader's: jobs that come before the next value
	slots   slots

	done, failed atomic.Int64
	worked       atomic.Int64 // time that the jobs took that succeeded, ns
	used         atomic.Int64 // CPU time of all jobs, ns
	failures     failures
	skipped      atomic.Int64 // jobs that had finished in an earlier run
	ahead        sync.Once    // the list is counted ahead
	counted      atomic.Int64 // jobs in the list; 0 not counted yet, -1 it cannot be

	mu    sync.Mutex
	cause error // why the run stopped early
}

// run works off the input, and returns why it stopped early, or nil. ended is
// false if it gave up waiting for what does not end; then nothing of r may be
// used any more but what the exit code needs.
func (r *runner) run() (cause error, ended bool) {
	r.workers.Go(r.worker)
	r.lead <- struct{}{}
	var all routine
	all.begin(r.workers.Wait)
	if ended = all.wait(r.watch.overdue); ended {
		r.procs.Clear(r.watch.overdue)
	}
	return r.stoppedBy(), ended
}

// stop lets nothing more start.
func (r *runner) stop(cause error) {
	r.because(cause)
	r.cancel(cause)
}

// because notes why the run ends early. Of several causes the [graver] one counts.
func (r *runner) because(cause error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cause = graver(r.cause, cause)
}

// freeze calls stop, which suspends the jobs and us. That time does not count.
func (r *runner) freeze(stop func()) {
	r.patrol.suspend(func() { r.children.Freeze(stop) })
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

// blame names a job that failed.
func (r *runner) blame(text string) {
	if !r.quiet {
		r.console.tell(text)
	}
}

// countAhead counts, beside the run, the jobs of a list that is at hand as a whole.
func (r *runner) countAhead() {
	r.ahead.Do(func() {
		if r.in.count == nil {
			r.counted.Store(-1)
			return
		}
		go func() {
			n, ok := r.in.count(r.starting)
			if !ok {
				n = -1
			}
			r.counted.Store(n)
		}()
	})
}

// streamed reports whether the number of jobs is known at the end of the list only.
func (r *runner) streamed() bool { return r.counted.Load() < 0 }

// total returns the number of jobs of the run, and false as long as nobody knows
// it.
func (r *runner) total() (int64, bool) {
	n := r.counted.Load()
	if r.in.ended.Load() {
		n = r.in.seen.Load()
	}
	return n - r.skipped.Load(), n > 0
}

// exit returns the error for the end of the run, which came for a cause or, if
// it is nil, with the end of the input.
func (r *runner) exit(cause error) error {
	if errors.Is(cause, errHalted) {
		if code := r.halter.code(); code != 0 {
			return &exitcode.Error{Code: code}
		}
		return nil
	}
	return exit(cause, r.failed.Load())
}

// outputFailed is told of the first write that fails.
func (r *runner) outputFailed(err error) {
	if isBrokenPipe(err) {
		r.abort(errPipe)
		return
	}
	hint := ""
	if errors.Is(err, syscall.EMFILE) {
		hint = "; see ulimit -n"
	}
	r.abort(fmt.Errorf("cannot write the output of the jobs: %w%s", bare(err), hint))
}

// worker leads, works, and leads again until there is nothing to do.
func (r *runner) worker() {
	var j job
	for {
		r.idle.Add(1)
		_, more := <-r.lead
		r.idle.Add(-1)
		if !more {
			return
		}
		if !r.wanted() {
			r.lead <- struct{}{}
			return
		}
		seq, vals, unit, err := r.claim()
		if err != nil {
			close(r.lead)
			return
		}
		j.seq, j.vals, j.unit = seq, vals, unit
		r.working.Add(1)
		r.lead <- struct{}{}
		r.grow()
		r.job(&j)
		r.in.blocks.done(seq)
	}
}

// grow starts a worker to lead if no worker waits to. It is called when a worker begins a
// job, and when more jobs may run.
func (r *runner) grow() {
	select {
	case _, more := <-r.lead:
		if !more {
			return
		}
		if r.idle.Load() == 0 && r.wanted() {
			r.workers.Go(r.worker)
		}
		r.lead <- struct{}{}
	default: // the worker that leads will call grow
	}
}

// wanted reports whether one more worker could get a permit.
func (r *runner) wanted() bool {
	return !r.settled || r.working.Load() < int64(r.limiter.Limit())
}

// claim returns the next job's number and values, with a permit for it.
func (r *runner) claim() (seq int64, vals []string, unit sweetspot.Unit, err error) {
	seq, vals, err = r.next()
	switch {
	case r.starting.Err() != nil:
		return 0, nil, unit, context.Cause(r.starting)
	case err != nil:
		if err != io.EOF {
			r.console.say("sweetspot: " + err.Error()) // at once: the jobs may run for long
			r.because(errListed)                       // and no stop: jobs that were claimed have yet to start
		} else if r.lesson != nil {
			r.lesson.note(r.limiter, r.procs.Peak())
		}
		return 0, nil, unit, err
	}
	if err := r.printer.admit(r.starting, seq); err != nil {
		return 0, nil, unit, err
	}
	if unit, err = r.gate.begin(r.starting, r.limiter); err != nil {
		return 0, nil, unit, err
	}
	if r.starting.Err() != nil { // it is that of the job that halted the run
		unit.End(sweetspot.Ignored, 1)
		return 0, nil, unit, context.Cause(r.starting)
	}
	return seq, vals, unit, nil
}
