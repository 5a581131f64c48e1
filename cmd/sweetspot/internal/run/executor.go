package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/pflag"
	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/process"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/spool"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/template"
	"github.com/sweetspot-go/sweetspot/internal/humanize"
)

// An Executor runs jobs for a command that gets their values from elsewhere. It runs
// them as run does: without a shell or safely with one, in process groups of their
// own, with their output in files, and with the same flags, signals and placeholders.
type Executor struct {
	o       options
	program string // what messages begin with
	r       *runner

	mu        sync.Mutex
	templates map[int]*template.Template // by the number of values
}

var executorFlags = []string{"jobs", "min", "max", "law", "nice", "command", "shell", "replace", "verbose", "timeout", "grace"}

// NewExecutor returns an Executor for the command of that name, such as "sweetspot
// queue", whose flags are in set.
func NewExecutor(program string, set *pflag.FlagSet) *Executor {
	x := &Executor{program: program, templates: map[int]*template.Template{}}
	x.o.mark, x.o.grace = "{}", humanize.Time(5*time.Second)
	register(executorFlags, set, &x.o)
	set.SetInterspersed(false) // the flags of the command are its own
	return x
}

// Open gets ready to run words, and listens to signals from then on: ctx is done,
// and the jobs are ended, when they are to end; stop is called when no more are to
// be started. Close must be called.
func (x *Executor) Open(parent context.Context, set *pflag.FlagSet, words []string, classify func(error) sweetspot.Outcome, stop func()) (ctx context.Context, err error) {
	o := &x.o
	o.command, o.shell = words, set.Changed("command")
	if !o.shell && len(words) == 0 {
		return nil, errors.New("no command: say what to run for each job")
	}
	if err := o.checkCommand(); err != nil {
		return nil, err
	}
	t, err := x.template(1)
	if err != nil {
		// It may be for jobs of several values, whose number only they tell.
		if t, err = o.templateOf(template.Shape{}); err != nil {
			return nil, err
		}
	}
	path, err := o.programPath(t)
	if err != nil {
		return nil, err
	}
	ctx, quit := context.WithCancelCause(parent)
	r, err := o.newRunner(x.program, ctx, quit)
	if err != nil {
		return nil, err
	}
	x.r = r
	r.path, r.in, r.gate, r.env = path, &input{}, &gate{}, withoutPasswords(r.env)
	r.limiter, _ = o.limiter(r.children, r.cpus, nil, nil, sweetspot.Classify(classify))
	return ctx, r.begin(o, filesOfJob, func(cause error) {
		if s, ok := errors.AsType[stopped](cause); ok && s.signal == hangup {
			stop()
			return
		}
		r.stop(cause)
	})
}

// Limiter returns what the flags make of the number of jobs at a time.
func (x *Executor) Limiter() *sweetspot.Limiter { return x.r.limiter }

// Say writes a message to stderr, behind the name of the command.
func (x *Executor) Say(text string) { x.r.console.tell(text) }

// template returns the command for jobs of so many values.
func (x *Executor) template(values int) (*template.Template, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if t := x.templates[values]; t != nil {
		return t, nil
	}
	s := template.Shape{Most: values}
	if values == 0 {
		s.None, s.Without = true, "a job without values"
	}
	t, err := x.o.templateOf(s)
	if err == nil {
		x.templates[values] = t
	}
	return t, err
}

// templateOf returns the command for jobs of a shape.
func (o *options) templateOf(s template.Shape) (*template.Template, error) {
	if o.shell {
		return o.shellTemplate(s)
	}
	return template.New(o.command, o.mark, s)
}

// A Result is how a job ended.
type Result struct {
	Status   int // the exit status; 0 if a signal ended it, -1 if nobody knows
	Signal   int // the signal that ended it, or 0
	TimedOut bool
	Began    time.Time
	Took     time.Duration
	Stdout   []byte
	Stderr   []byte
	Long     *LongOutput // instead of both, if they are long; the caller closes it
}

// Failed reports whether the job failed.
func (r *Result) Failed() bool { return r.Status != 0 || r.Signal != 0 }

// longOutput is how much a job may write for Run to return it in memory: as much as one
// record of a queue holds.
const longOutput = 256 << 10

// A LongOutput is what a job wrote, where it wrote it. Close gives the files back.
type LongOutput struct {
	Stdout, Stderr *io.SectionReader
	spool          *spool.Spool
}

// Close is to be called once nobody reads any more.
func (l *LongOutput) Close() { l.spool.Close() }

// Errors of Run that are not the job's.
var (
	// ErrCut says that the job was ended, or not started, as the run was to end.
	ErrCut = errors.New("the worker was told to end")
	// ErrScarce says that the machine has no room for another process now.
	ErrScarce = errors.New("no room for another process")
	// ErrCommand says that the command does not fit the job.
	ErrCommand = errors.New("the command does not fit the job")
)

// Run runs one job, and returns how it ended. A command that cannot be run is a
// failed job of status 126 or 127, whose Stderr says why. It may be called by many
// goroutines.
func (x *Executor) Run(seq int64, values []string) (Result, error) {
	r := x.r
	if r.starting.Err() != nil {
		return Result{}, ErrCut
	}
	t, err := x.template(len(values))
	if err != nil {
		return Result{}, fmt.Errorf("%w: %w", ErrCommand, err)
	}
	j := &job{seq: seq, vals: values, slot: r.slots.take(), try: 1}
	defer r.slots.give(j.slot)
	j.cmd, j.argv = t.Cmd, t.Expand(nil, values, template.Place{Seq: seq, Slot: j.slot})
	if r.verbose {
		r.console.say(r.console.command(j.argv))
	}
	err = r.tryStart(j)
	if err != nil {
		if j.spool != nil {
			j.spool.Close()
		}
		if process.Scarce(err) {
			r.spools.Close()
			return Result{}, fmt.Errorf("%w: %w", ErrScarce, err)
		}
		return notRunnable(j, err), nil
	}
	r.attend(j)
	if j.cut {
		j.spool.Close()
		return Result{}, ErrCut
	}
	if !j.end.Failed() {
		r.patrol.succeeded(j.ran)
	}
	res := Result{Status: j.end.Status, Signal: j.end.Signal, Began: j.began, Took: j.took}
	res.TimedOut = j.end.Status == statusNone && j.end.Signal == int(syscall.SIGTERM)
	err = x.collect(j, &res)
	return res, err
}

// notRunnable returns the result of a job whose command cannot be run.
func notRunnable(j *job, err error) Result {
	res := Result{Status: statusOf(err), Began: j.began, Took: time.Since(j.began)}
	res.Stderr = fmt.Appendf(nil, "sweetspot: cannot run %s: %v\n", quoteCommand(j.argv[:1]), err)
	return res
}

// collect takes the output of a job out of its spool, or leaves it there if it is long.
func (x *Executor) collect(j *job, res *Result) error {
	s := j.spool
	nOut, nErr, err := s.Sizes()
	switch {
	case err != nil:
	case nOut+nErr > longOutput:
		res.Long = &LongOutput{io.NewSectionReader(s.Out, 0, nOut), io.NewSectionReader(s.Err, 0, nErr), s}
		return nil
	case nOut+nErr > 0:
		res.Stdout, res.Stderr, err = s.Read(0, nOut, 0, nErr)
	}
	if err != nil {
		s.Close()
		return fmt.Errorf("cannot read the output of job %d: %w", j.seq, err)
	}
	x.r.spools.Put(s, nOut, nErr)
	return nil
}

// Overdue is closed when jobs should have been gone for a while, and are not.
func (x *Executor) Overdue() <-chan struct{} { return x.r.watch.overdue }

// Close waits for the leftovers of jobs that were told to end, gives back what Open
// took, and returns the error that the exit code of the worker follows from: nil, or
// that of a signal or of an output that was lost.
func (x *Executor) Close() error {
	x.r.procs.Clear(x.r.watch.overdue)
	x.r.end()
	x.r.cancel(nil)
	return exit(x.r.stoppedBy(), 0)
}
