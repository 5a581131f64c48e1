package run

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"time"

	"github.com/sweetspot-go/sweetspot"
)

// A job is one value's way through the runner. It may take several tries; what
// is below describes the newest.
type job struct {
	seq  int64
	vals []string
	unit sweetspot.Unit // of its permit
	slot int

	argv, env []string // memory that the next job of the worker uses again

	try   int // from 1
	proc  process
	spool *spool // nil if it did not start
	began time.Time
	took  time.Duration
	end   ending
	ours  bool // we ended it: it is neither done nor failed, but not finished
}

// job runs one job, from a permit in hand to its output handed over.
func (r *runner) job(j *job) {
	for j.try = 1; ; j.try++ {
		r.attempt(j)
		if !r.again(j) {
			break
		}
	}
	if j.ours && j.spool == nil { // it has never started
		r.printer.finish(j.seq, nil, true)
		return
	}
	if j.end.failed() {
		r.failed.Add(1)
	}
	r.done.Add(1)
	r.printer.finish(j.seq, j.spool, j.spool == nil || !j.proc.groupLives())
}

// again prepares j for another try and waits for a permit. It returns false if
// there shall be none.
func (r *runner) again(j *job) bool { return false }

// attempt runs j once. The permit is given back at its end.
func (r *runner) attempt(j *job) {
	j.spool, j.end, j.ours = nil, ending{}, false
	j.slot = r.slots.take()
	j.argv = r.commandLine.expand(j.argv[:0], j.vals, place{j.seq, j.slot})
	if r.verbose {
		r.console.say(quoteCommand(j.argv))
	}
	switch err := r.start(j); {
	case errors.Is(err, errNotStarted):
		j.ours = true
		r.slots.give(j.slot)
		return // the permit has been given back
	case err != nil:
		j.end.status = statusNotRunnable
		if _, missing := errors.AsType[notFound](err); missing || errors.Is(err, fs.ErrNotExist) {
			j.end.status = statusNotFound
		}
		r.console.say(fmt.Sprintf("sweetspot run: job %d: cannot run %s: %v", j.seq, quoteWord(j.argv[0]), err))
	default:
		r.follow(j)
	}
	j.took = time.Since(j.began)
	r.slots.give(j.slot)
	if j.end.failed() {
		j.unit.End(sweetspot.Ignored, 1)
	} else {
		j.unit.End(sweetspot.Done, 1)
	}
}

// follow waits for the process of j to end.
func (r *runner) follow(j *job) {
	r.procs.add(j.proc)
	r.children.Started(j.proc.pid)
	var err error
	j.end, err = j.proc.wait(&r.crowd)
	r.procs.remove(j.proc)
	r.children.Reaped(j.proc.pid, j.end.cpu.Seconds(), j.end.rss)
	if err != nil { // not possible while nobody else reaps our children
		j.end.status = statusNone
		r.console.say(fmt.Sprintf("sweetspot run: job %d: %v", j.seq, err))
	}
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
func (r *runner) start(j *job) error {
	var alone time.Time // since when it is scarce with no job running
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		err := r.tryStart(j)
		if err == nil {
			return nil
		}
		// What waits must hold nothing that another job could need to start.
		if j.spool != nil {
			if !scarce(err) {
				r.spools.put(j.spool, 0, 0)
			} else {
				j.spool.close()
			}
			j.spool = nil
		}
		if !scarce(err) {
			return err
		}
		r.spools.close()
		j.unit.End(sweetspot.Overloaded, 1)
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
			return errNotStarted
		}
		if r.limiter.Acquire(r.starting) != nil {
			return errNotStarted
		}
		j.unit = r.limiter.Begin()
	}
}

// tryStart tries to start a job once.
func (r *runner) tryStart(j *job) error {
	j.began = time.Now()
	if j.spool == nil {
		fresh, err := r.spools.get()
		if err != nil {
			return err
		}
		j.spool = fresh
	}
	path := r.path
	if path == "" {
		found, err := lookup(j.argv[0])
		if err != nil {
			return err
		}
		path = found
	}
	n, slot := strconv.FormatInt(j.seq, 10), strconv.Itoa(j.slot)
	j.env = append(append(j.env[:0], r.env...),
		"SWEETSPOT_SEQ="+n, "PARALLEL_SEQ="+n, "SWEETSPOT_SLOT="+slot, "PARALLEL_JOBSLOT="+slot)
	p, err := startProcess(path, j.argv, j.env, r.null, j.spool.out, j.spool.err)
	j.proc = p
	return err
}
