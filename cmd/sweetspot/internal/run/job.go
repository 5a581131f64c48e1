package run

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/process"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/spool"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/template"
	"github.com/sweetspot-go/sweetspot/internal/humanize"
)

// A job is one value's way through the runner. It may take several tries; what
// is below describes the newest.
type job struct {
	seq  int64
	vals []string
	unit sweetspot.Unit // of its permit
	slot int
	tag  string // before each line of its output
	sent int64  // bytes of its stdin

	cmd       bool     // argv is a call of cmd.exe
	argv, env []string // memory that the next job of the worker uses again

	try     int  // from 1
	granted int  // tries beyond what --retries says
	alone   bool // runs while no other job does
	proc    process.Process
	running int          // jobs when it was started, with it
	spool   *spool.Spool // nil if it did not start
	kept    *keeping     // of the spool, by --results
	began   time.Time
	took    time.Duration
	ran     time.Duration // of that, the time that it was not stopped with us
	end     process.Ending
	cut     bool // the run ended it, or did not let it try again: it has not finished, and its output is not kept
	told    bool // how it failed
}

// job runs one job, from a permit in hand to its output handed over. The permit
// and the slot are kept from the first try to the last, so that jobs that wait
// for another try do not pile up.
func (r *runner) job(j *job) {
	j.slot, j.tag, j.sent = r.slots.take(), r.tag(j), 0
	j.try, j.granted, j.alone = 1, 0, false
	started := r.attempt(j)
	for started && r.again(j) {
		j.try++
		started = r.attempt(j)
	}
	r.slots.give(j.slot)
	if !started {
		r.working.Add(-1)
		r.printer.finish(&job{seq: j.seq, cut: true})
		return
	}
	if j.end.Failed() && !j.cut && !j.told {
		r.failures.add(j, r.console.command) // while its stderr is at hand
	}
	if !j.cut && r.halter.finished(j.end) { // before the permit goes to another
		r.halt(j)
	}
	r.printer.take(j) // also before that: with -j 1, outputs then have the order of the input
	r.used.Add(int64(j.end.CPU))
	if j.end.Failed() {
		r.failed.Add(1)
	} else {
		r.patrol.succeeded(j.ran)
		r.worked.Add(int64(j.ran))
	}
	if j.unit != (sweetspot.Unit{}) {
		j.unit.End(r.outcome(j), 1)
	}
	r.working.Add(-1)
	r.done.Add(1)
	r.printer.flush()
}

// outcome returns what the newest try of a job says to the law.
func (r *runner) outcome(j *job) sweetspot.Outcome {
	switch {
	case !j.end.Failed():
		return sweetspot.Done
	case !j.cut && j.end.Signal == 0 && slices.Contains(r.overload, j.end.Status):
		return sweetspot.Overloaded
	}
	return sweetspot.Ignored
}

// halt ends the run at the job that --halt has been waiting for.
func (r *runner) halt(j *job) {
	how := "succeeded"
	if j.end.Failed() {
		how = "failed with " + j.end.String()
	}
	r.blame(fmt.Sprintf("job %d %s: halting, as --halt %s wants", j.seq, how, r.halter.flag.text))
	if r.halter.flag.now {
		r.abort(errHalted)
	} else {
		r.stop(errHalted)
	}
}

// tag returns what stands before each line of a job's output.
func (r *runner) tag(j *job) string {
	if !r.tagged {
		return ""
	}
	return strings.Join(j.vals, " ") + "\t"
}

// Pauses between the tries of a job: what made it fail rarely passes at once.
const (
	firstPause = 10 * time.Millisecond
	lastPause  = time.Second
)

// again reports whether there shall be another try, after a pause. The output of
// the one before is dropped first: what waits must hold nothing that another job
// could need to start.
//
// A try that met an overload says so to the law at once. The next one needs a permit
// of its own, so that it waits where the limit has fallen. Each is a start like any
// other, for which the gate must be open.
func (r *runner) again(j *job) bool {
	if !j.end.Failed() || j.cut || !r.spared(j) && r.tries > 0 && j.try >= r.tries+j.granted {
		return false
	}
	if j.spool != nil {
		r.drop(j)
	}
	if o := r.outcome(j); o == sweetspot.Overloaded {
		j.unit.End(o, 1)
		var err error
		if j.unit, err = r.limiter.Begin(r.starting); err != nil {
			j.cut = true
			return false
		}
	}
	select {
	case <-time.After(min(firstPause<<min(j.try-1, 10), lastPause)):
	case <-r.starting.Done():
	}
	if r.starting.Err() != nil || r.gate.retry(r.starting) != nil {
		j.cut = true
		return false
	}
	return true
}

// attempt runs j once. It returns false if the run ended before it could start;
// then its permit has been given back.
func (r *runner) attempt(j *job) bool {
	j.spool, j.kept, j.end, j.cut, j.told = nil, nil, process.Ending{}, false, false
	j.cmd, j.argv = r.commandLine.Cmd, r.commandLine.Expand(j.argv[:0], j.vals, r.in.place(j.seq, j.slot))
	if r.verbose {
		r.console.say(r.console.command(j.argv))
	}
	err := r.start(j)
	switch {
	case errors.Is(err, errNotStarted):
		return false
	case err != nil:
		j.took = time.Since(j.began)
		j.end.Status = statusOf(err)
		if errors.Is(err, syscall.ENOEXEC) {
			err = fmt.Errorf("%w: not a program for this machine, or a script without a first line such as #!/bin/sh", err)
		}
		j.told = true
		r.blame(fmt.Sprintf("job %d: cannot run %s: %v", j.seq, r.console.command(j.argv[:1]), err))
	default:
		r.attend(j)
		r.refuge.place(j).Unlock()
	}
	return true
}

// attend waits for the process of j to end.
func (r *runner) attend(j *job) {
	r.patrol.join(j)
	if f := r.printer.follow; f != nil {
		f.join(j)
	}
	var why string
	end, err := j.proc.Wait(j.running, func() {
		j.ran, why = r.patrol.leave(j)
		if why != timedOut {
			j.cut = r.procs.Remove(j.proc)
		}
	})
	j.end, j.took = end, time.Since(j.began)
	late := why == timedOut
	if late {
		r.ended(j, timedOut+" after "+seconds(j.ran.Seconds()))
		r.procs.Linger(j.proc, func() bool { return r.patrol.overdue(j) })
		r.patrol.forget(j)
		j.cut = r.procs.Remove(j.proc)
	}
	if j.cut {
		r.procs.Reaped(j.proc)
	}
	r.children.Reaped(j.proc.PID, end.CPU.Seconds(), end.RSS)
	r.gate.ended()
	if err != nil { // not possible while nobody else reaps our children
		j.end.Status = statusNone
		r.console.tell(fmt.Sprintf("job %d: %v", j.seq, err))
	}
	lost := j.spool.End()
	if j.cut {
		return
	}
	if lost != nil {
		r.incomplete(j, j.spool.NoRoom(lost))
		return
	}
	if tooMuch, err := r.patrol.cut(j); err != nil {
		r.incomplete(j, err)
	} else if why = cmp.Or(why, tooMuch); why != "" && !late {
		r.ended(j, why)
	}
	alone := func() bool { return r.printer.follow == nil && !j.proc.GroupLives() }
	if err := j.spool.Whole(alone); err != nil {
		r.incomplete(j, err)
	}
}

// incomplete ends the run, as output of a job may be lost, whatever it says itself.
func (r *runner) incomplete(j *job, err error) {
	j.cut = true
	r.abort(fmt.Errorf("output of job %d may be incomplete: %w", j.seq, err))
}

// ended notes that a job failed because we have ended it.
func (r *runner) ended(j *job, why string) {
	// As in GNU parallel's log, whatever the job made of the signal.
	j.end.Status, j.end.Signal = statusNone, int(syscall.SIGTERM)
	j.told = true
	r.blame(fmt.Sprintf("job %d %s: %s", j.seq, why, humanize.Clip(r.console.command(j.argv), failuresWidth)))
}

// drop throws away what a try has written.
func (r *runner) drop(j *job) {
	s := j.spool
	j.spool = nil
	if r.printer.follow != nil {
		r.printer.follow.drop(j.seq)
	}
	if j.kept != nil {
		j.kept.drop()
	}
	out, err, e := s.Sizes()
	if e != nil {
		s.Close()
		return
	}
	r.spools.Put(s, out, err)
}

// errNotStarted says that the run was stopped before a job could start. Its
// permit has been given back.
var errNotStarted = errors.New("not started")

// start starts a job that the gate has let through. Where the machine has no process,
// memory or file left for it, the permit goes back as Overloaded, which lowers the limit,
// and the job waits for another and an open gate: it is not lost.
func (r *runner) start(j *job) error {
	var s scarcity
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		r.refuge.place(j).Lock()
		if r.starting.Err() != nil { // it may have waited there until the run stopped
			r.refuge.place(j).Unlock()
			r.gate.started()
			j.unit.End(sweetspot.Ignored, 1)
			return errNotStarted
		}
		err := r.tryStart(j)
		r.gate.started()
		if err == nil {
			return nil
		}
		r.refuge.place(j).Unlock()
		// What waits must hold nothing that another job could need to start.
		if j.spool != nil {
			if j.kept != nil {
				j.kept.drop()
			}
			j.spool.Close()
			j.spool = nil
		}
		if !process.Scarce(err) {
			return err
		}
		r.spools.Close()
		r.in.blocks.lower(j.seq)
		j.unit.End(sweetspot.Overloaded, 1)
		patience := scarceFor
		if process.OutOfFiles(err) {
			patience = filesScarceFor
		}
		if running, started := r.procs.Counts(); s.lasts(running, started, r.printer.holdsFiles()) > patience {
			r.abort(fmt.Errorf("cannot start a process, with no job running, for %v: %w; see ulimit -u, ulimit -n and the memory left", patience, err))
		}
		select {
		case <-time.After(pause):
		case <-r.starting.Done():
			return errNotStarted
		}
		if r.printer.admit(r.starting, j.seq) != nil {
			return errNotStarted
		}
		unit, err := r.gate.begin(r.starting, r.limiter)
		if err != nil {
			return errNotStarted
		}
		j.unit = unit
	}
}

// tryStart tries to start a job once.
func (r *runner) tryStart(j *job) error {
	j.began = time.Now()
	if j.spool == nil {
		if err := r.openSpool(j); err != nil {
			return err
		}
	}
	path := r.path
	if path == "" {
		found, err := Lookup(j.argv[0], "-c")
		if err != nil {
			return err
		}
		path = found
	}
	n, slot := strconv.FormatInt(j.seq, 10), strconv.Itoa(j.slot)
	j.env = append(append(j.env[:0], r.env...),
		"SWEETSPOT_SEQ="+n, "PARALLEL_SEQ="+n, "SWEETSPOT_SLOT="+slot, "PARALLEL_JOBSLOT="+slot)
	stdin, sent, err := r.stdin(j.seq)
	if err != nil {
		return err
	}
	j.sent = sent
	argv := j.argv
	if j.cmd {
		var line string
		if line, j.env, err = template.CmdLine(j.argv, j.env); err != nil {
			return err
		}
		argv = []string{"", line}
	}
	err = j.spool.Start(r.inlets, func(stdout, stderr *os.File) (err error) {
		j.proc, j.running, err = r.procs.Start(path, argv, j.env, stdin, stdout, stderr)
		return err
	})
	if err == nil {
		r.children.Started(j.proc.PID)
	}
	return err
}

// openSpool opens where the output of a job goes.
func (r *runner) openSpool(j *job) (err error) {
	if r.results == nil {
		j.spool, err = r.spools.Get()
		return err
	}
	j.spool, j.kept, err = r.results.open(j.seq, j.vals)
	if err != nil && !process.Scarce(err) {
		r.abort(err)
		j.unit.End(sweetspot.Ignored, 1)
		return errNotStarted
	}
	return err
}
