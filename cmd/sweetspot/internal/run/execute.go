package run

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/process"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/spool"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/template"
	"github.com/sweetspot-go/sweetspot/internal/learnt"
	"github.com/sweetspot-go/sweetspot/internal/outfile"
	"github.com/sweetspot-go/sweetspot/internal/statusline"
	"github.com/sweetspot-go/sweetspot/sense"
)

// run does what the options say. The error carries the exit code, unless that is exitError.
func (o *options) run() error {
	starting, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	var in *input
	var err error
	if o.pipe {
		in = o.stream(starting, o.lists()[0])
		defer in.blocks.close()
	} else if in, err = o.inputOptions.input(starting); err != nil {
		return err
	}
	commandLine, err := o.template(in.names)
	if err != nil {
		return err
	}
	if o.longest != "" {
		if in.order, err = o.longest.order(commandLine); err != nil {
			return err
		}
	}
	in.suit(commandLine.Length, commandLine.Uses(template.Total))
	path, err := o.programPath(commandLine)
	if err != nil {
		return err
	}
	if err := o.distinct(); err != nil {
		return err
	}
	if o.dryRun {
		quote := quoteCommand
		if isTerminal(os.Stdout) {
			quote = showCommand
		}
		r := &runner{starting: starting, commandLine: commandLine, in: in, printer: newPrinter(nil, nil, false, nil), failedAgain: o.resumeFailed}
		if o.resume || o.resumeFailed {
			if r.past, err = readJoblog(o.joblog); err != nil {
				return err
			}
		}
		return r.dryRun(patient{os.Stdout}, quote)
	}
	return o.runJobs(starting, cancel, commandLine, path, in)
}

// runJobs assembles the runner, runs it and reports.
func (o *options) runJobs(starting context.Context, cancel context.CancelCauseFunc, t *template.Template, path string, in *input) error {
	var m *meter
	files := outfile.New(patient{os.Stdout})
	defer files.Close()
	if err := files.Add("--json", o.json, func(w io.Writer) error { return m.summary().write(w) }); err != nil {
		return err
	}
	r, err := o.newRunner("sweetspot run", starting, cancel)
	if err != nil {
		return err
	}
	sharing, err := o.sharing()
	if err != nil {
		return err
	}
	defer sharing.Close()
	if !o.quiet {
		r.console.line = statusline.On(os.Stderr, os.Getenv("TERM"), term.GetSize)
	}
	lesson := o.learning(r.cpus, r.console.tell)
	if lesson != nil && lesson.last != nil {
		r.children.Expect(float64(lesson.last.Memory))
	}
	ahead := &sight{ // asked once jobs run
		left: func() (int64, bool) {
			n, known := r.total()
			return n - r.done.Load(), known
		},
		held: func() time.Duration { return r.gate.heldFor() },
	}
	limiter, fixed := o.limiter(r.children, r.cpus, lesson, ahead, sharing)
	r.commandLine, r.path, r.in, r.limiter, r.lesson = t, path, in, limiter, lesson
	r.env = append(r.env, "PARALLEL_PID="+strconv.Itoa(os.Getpid()))
	r.lead = make(chan struct{}, 1)
	if r.settled = fixed && o.jobs.file == "" && o.ui.port == "" && o.share == ""; r.settled {
		r.printer.busy = r.grow
	}
	if o.total > 0 {
		r.ahead.Do(func() { r.counted.Store(int64(o.total)) })
	}
	admits := r.children.Admits
	if fixed {
		admits = nil // the user knows best
	}
	if r.gate, err = newGate(&o.limitOptions, r.cpus, r.procs.Running, admits, r.console.tell); err != nil {
		return err
	}
	page, err := o.ui.open(r.console)
	if err != nil {
		return err
	}
	defer page.close()
	if err := o.outcomeOptions.equip(r); err != nil {
		return err
	}
	need := filesOfJob
	if o.pipe {
		need += filesOfPipe
	}
	if err := r.begin(o, need, r.stop); err != nil {
		return err
	}
	defer r.end()
	if !fixed && o.suspend && o.timeout == (timeoutFlag{}) {
		r.brake = newBrake(r.children, r.procs, r.patrol.ends)
		defer r.brake.close() // once all jobs have ended
	}

	m = &meter{runner: r, fixed: fixed, began: time.Now(), trace: newTrace(), faint: os.Getenv("NO_COLOR") == ""}
	if r.console.line != nil || o.explain || o.json != "" {
		m.start()
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + spareProcs))
	cause, ended := r.run()
	if !ended {
		return r.exit(cause)
	}
	if cause == nil && o.readsPipe() {
		r.watch.catchUp()
		cause = r.stoppedBy()
	}
	m.close()
	if lesson != nil && cause == nil {
		lesson.Memory = int64(r.children.Largest())
		if err := lesson.close(r, m.took); err != nil && o.explain {
			r.console.say(fmt.Sprintf("What was learnt is not kept: %v.", bare(err)))
		}
	}
	if !o.quiet && !r.watch.ends(func() { r.failures.tell(r.console.tell, r.console.say) }) {
		return r.exit(graver(cause, r.stoppedBy()))
	}
	cause = graver(cause, r.printer.log.close())
	var unwritten error
	if !r.watch.ends(func() { unwritten = files.Write() }) {
		return r.exit(graver(cause, r.stoppedBy()))
	}
	cause = graver(cause, unwritten)
	if o.explain {
		var untold error
		if !r.watch.ends(func() {
			if s := o.settingsInForce(); s != "" {
				r.console.say("Settings: " + s + ".")
			}
			untold = m.account(o.said(r.cpus), o.share, sharing.Met(), int64(r.procs.Peak())).tell(patient{os.Stderr})
		}) {
			return r.exit(graver(cause, r.stoppedBy()))
		}
		cause = graver(cause, untold)
	}
	return r.exit(cause)
}

// newRunner returns a runner with what all of them have. program begins its messages.
func (o *options) newRunner(program string, starting context.Context, cancel context.CancelCauseFunc) (*runner, error) {
	if _, err := nothing(); err != nil { // while files are left
		return nil, err
	}
	if err := o.renice(); err != nil {
		return nil, err
	}
	c := &console{program: program, stdout: patient{os.Stdout}, stderr: patient{os.Stderr}, terminal: isTerminal(os.Stderr)}
	if note := o.unbounded(hidden()); note != "" && (o.explain || c.terminal && !o.quiet) {
		c.tell(note)
	}
	r := &runner{
		console: c, children: sense.NewChildren(), spools: &spool.Cache{}, procs: process.NewSet(), refuge: newRefuge(o.retryOOM),
		env: jobEnviron(os.Environ()), verbose: o.verbose, starting: starting, cancel: cancel,
		patrol: &patrol{
			most: int64(o.maxOutput), timeout: o.timeout, grace: time.Duration(o.grace), signal: process.Process.SignalGroup,
			shelf: newShelf(), tell: c.tell,
		},
	}
	r.cpus = r.children.Sense(0).CPUs
	r.printer = newPrinter(c, r.spools, o.keepOrder, r.outputFailed)
	return r, nil
}

// begin starts what goes on beside the jobs, if so many files are left to us. stop is called by
// signals. end must follow.
func (r *runner) begin(o *options, files int, stop func(cause error)) error {
	r.inlets = spool.NewInlets()
	r.procs.Protect(r.patrol.shelf.path, r.held...)
	if err := enoughFiles(files); err != nil {
		r.procs.Close()
		r.inlets.Close()
		return err
	}
	r.watch = watchSignals(r, stop)
	r.patrol.start()
	r.takeHand(&o.limitOptions)
	return nil
}

// end ends that.
func (r *runner) end() {
	if r.printer.follow != nil {
		r.printer.follow.finish(r.watch.overdue)
	}
	if r.results != nil {
		r.results.lock.Close()
	}
	r.hand.close(r.watch.overdue)
	r.patrol.close(r.watch.overdue)
	r.watch.close()
	r.procs.Close()
	r.inlets.Close()
	r.spools.Close()
}

// spareProcs is by how much a run raises GOMAXPROCS, once the law has taken its start from
// it. Where threads that wait for jobs have all of Go's processors, the runtime looks every
// 20 µs whether to take one away, which costs 3 % of the CPU time of jobs of true.
// With one to spare it lets them have theirs.
const spareProcs = 2

// readsPipe reports whether the values come from another program.
func (o *options) readsPipe() bool {
	return isPipe(os.Stdin) && slices.ContainsFunc(o.lists(), func(s source) bool { return s.file == stdinName && !s.given })
}

func isPipe(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0
}

// limiter returns the limiter that -j asks for, and whether its limit is fixed. It begins with
// what earlier runs have learnt, and learns, unless l is nil. The default law is put into ahead, unless
// that is nil.
func (o *limitOptions) limiter(sensor sense.Sensor, cpus float64, l *lesson, ahead *sight, more ...sweetspot.LimiterOption) (*sweetspot.Limiter, bool) {
	opts := append([]sweetspot.LimiterOption{sweetspot.Name("run"), sweetspot.Sensor(sensor)}, more...)
	n, fixed := o.jobs.limit(cpus)
	if fixed && o.jobs.file == "" {
		n = o.within(n)
		limiter := sweetspot.New(append(opts, sweetspot.Start(n))...)
		limiter.SetLimit(n)
		return limiter, true
	}
	law := o.law.controller()
	if o.law == "" && ahead != nil {
		ahead.Controller = law
		law = ahead
	}
	switch {
	case o.jobs.kind == jobsMost:
		law = &most{}
	case l != nil:
		l.law = learnt.NewLaw(law, runtime.GOMAXPROCS(0), l.last)
		law = l.law
		if l.last != nil {
			opts = append(opts, sweetspot.Start(cmp.Or(l.last.Trial, l.last.Limit)))
		}
	}
	opts = append(opts, sweetspot.Controller(law))
	if o.max > 0 {
		opts = append(opts, sweetspot.Max(o.max))
	}
	if o.min > 0 {
		opts = append(opts, sweetspot.Min(o.min))
	}
	limiter := sweetspot.New(opts...)
	if fixed { // by the file, which may say auto later
		limiter.SetLimit(o.within(n))
	}
	return limiter, false
}

// jobEnviron returns our environment without the variables that each job gets
// anew, which are there if a job runs us.
func jobEnviron(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(e string) bool {
		name, _, _ := strings.Cut(e, "=")
		return slices.Contains(jobVariables, name)
	})
}

// jobVariables are set for each job; those named after GNU parallel are for
// scripts that come from there.
var jobVariables = []string{"SWEETSPOT_SEQ", "PARALLEL_SEQ", "SWEETSPOT_SLOT", "PARALLEL_JOBSLOT", "PARALLEL_PID"}

// dryRun prints the commands, quoted for a shell, one a line.
func (r *runner) dryRun(w io.Writer, quote func([]string) string) error {
	var argv []string
	for {
		seq, vals, err := r.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		argv = r.commandLine.Expand(argv[:0], vals, r.in.place(seq, 1))
		if _, err := fmt.Fprintln(w, quote(argv)); err != nil {
			return fmt.Errorf("cannot write the commands: %w", err)
		}
		r.in.blocks.done(seq)
	}
}
