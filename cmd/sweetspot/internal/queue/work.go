package queue

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/sweetspot-go/sweetspot"
	natslimit "github.com/sweetspot-go/sweetspot/contrib/nats"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
)

// workOptions are the flags of queue work.
type workOptions struct {
	untilEmpty bool
	tries      int
	pause      time.Duration
	lease      time.Duration
	fleet      bool
	fleetMax   int
	fleetStart int
}

func workCommand() *cobra.Command {
	conn, o := &connection{}, &workOptions{}
	c := &cobra.Command{
		Use:   "work NAME [flags] [--] COMMAND [ARGS...]",
		Short: "Run a command for each job of a queue",
		Long: `Run COMMAND for each job of the queue NAME, as sweetspot run does, and record its result.
Start it on any number of machines. HUP, or queue drain, lets the running jobs finish; INT and TERM
end them, and they go back to the queue. The exit status does not tell of jobs that failed, since
others may have had them: that of queue wait does.`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          named,
	}
	f := c.Flags()
	conn.register(f)
	f.BoolVar(&o.untilEmpty, "until-empty", false, "end when no job is left, those of other workers included")
	f.IntVar(&o.tries, "tries", 5, "a job that fails has failed for good after `N` tries")
	f.DurationVar(&o.pause, "pause", time.Second, "let `TIME` pass before the second try; it doubles up to a minute")
	f.DurationVar(&o.lease, "lease", 0, "a job comes again if its worker is not heard of for `TIME` (30s at first; the newest setting is that of all workers)")
	f.BoolVar(&o.fleet, "fleet", false, "find, together with all workers that say so, how many jobs at a time serve best in all")
	f.IntVar(&o.fleetMax, "fleet-max", 0, "with --fleet, never more than `N` jobs at a time in all")
	f.IntVar(&o.fleetStart, "fleet-start", 0, "with --fleet, begin the search at `N` jobs at a time in all (default the CPUs of one worker)")
	x := run.NewExecutor(program, f)
	c.RunE = func(c *cobra.Command, args []string) error {
		// The flags may also stand behind the name; those of the command are its own.
		name := args[0]
		switch err := f.Parse(args[1:]); {
		case errors.Is(err, pflag.ErrHelp):
			return c.Help()
		case err != nil:
			return &run.ExitError{Code: 255, Err: err}
		}
		if help, _ := f.GetBool("help"); help { // behind the name it is a flag like others
			return c.Help()
		}
		return o.work(c, conn, x, name, f.Args())
	}
	return c
}

// check refuses what no worker can do.
func (o *workOptions) check() error {
	switch {
	case o.tries < 1:
		return fmt.Errorf("--tries %d: want 1 or more", o.tries)
	case o.pause < 0:
		return fmt.Errorf("--pause %v: want 0 or more", o.pause)
	case o.lease != 0 && o.lease < leaseLeast:
		return fmt.Errorf("--lease %v: want %v or more", o.lease, leaseLeast)
	case o.fleetMax < 0 || o.fleetMax > 0 && !o.fleet:
		return errors.New("--fleet-max N bounds the jobs of all workers: want --fleet with it, and 1 or more")
	case o.fleetStart < 0 || o.fleetStart > 0 && !o.fleet:
		return errors.New("--fleet-start N is where the search for the jobs of all workers begins: want --fleet with it, and 1 or more")
	}
	return nil
}

// leaseLeast is the shortest lease: workers that are merely slow must not lose jobs.
const leaseLeast = 500 * time.Millisecond

// A worker runs the jobs of a queue.
type worker struct {
	*workOptions
	q    *queue
	x    *run.Executor
	name string
	// look says that jobs which come for the first time may have a result all the
	// same: a server that was killed forgets to whom it gave what.
	look   atomic.Bool
	done   atomic.Int64
	failed atomic.Int64
	drain  chan struct{}
	once   sync.Once
	gone   atomic.Bool // the queue was deleted
	// cuts counts how often the server was out of sight, and known those after which
	// the queue was still the same.
	cuts, known atomic.Int64
}

func (w *worker) stop() { w.once.Do(func() { close(w.drain) }) }

func (o *workOptions) work(c *cobra.Command, conn *connection, x *run.Executor, name string, command []string) error {
	if err := o.check(); err != nil {
		return &run.ExitError{Code: 255, Err: err}
	}
	if o.fleetStart == 0 {
		o.fleetStart = runtime.GOMAXPROCS(0)
	}
	if os.Getenv("GOMAXPROCS") == "" {
		// Starting a process keeps its place among GOMAXPROCS until the program is
		// loaded, and messages would wait for that. The jobs' number is another matter.
		runtime.GOMAXPROCS(2 * runtime.GOMAXPROCS(0))
	}
	w := &worker{workOptions: o, x: x, name: workerName(), drain: make(chan struct{})}
	defer conn.close()
	ctx, err := x.Open(context.Background(), c.Flags(), command, classify, w.stop)
	if err != nil {
		return &run.ExitError{Code: 255, Err: err}
	}
	defer w.report(name)
	ended := make(chan error, 1)
	go func() { ended <- w.run(ctx, conn, name) }()
	select {
	case err = <-ended:
	case <-x.Overdue():
	}
	if cerr := x.Close(); cerr != nil {
		return cerr
	}
	return exitError(context.Background(), err)
}

// report says at the end how many jobs failed, if any.
func (w *worker) report(name string) {
	if n := w.failed.Load(); n > 0 && !w.gone.Load() {
		w.x.Say(fmt.Sprintf("%s failed: queue results %s --failed says how, and queue retry-failed %s tries anew", count(n, "job"), name, name))
	}
}

// classify judges what handle returns. A job that fails says nothing of the number of
// jobs at a time; one for which there was no room says that there are too many.
func classify(err error) sweetspot.Outcome {
	switch {
	case err == nil:
		return sweetspot.Done
	case errors.Is(err, run.ErrScarce):
		return sweetspot.Overloaded
	}
	return sweetspot.Ignored
}

// run works until there is nothing to do, or ctx is done.
func (w *worker) run(ctx context.Context, conn *connection, name string) error {
	if err := conn.open(ctx, true, w.x.Say); err != nil {
		return err
	}
	q, err := conn.queue(ctx, name, true)
	if err != nil {
		return err
	}
	w.q = q
	if q.made {
		w.x.Say(fmt.Sprintf("there was no queue %s %s: made it, and queue push %s adds jobs", name, conn.place(), name))
	}
	if w.lease > 0 {
		if err := q.lease(ctx, w.lease); err != nil {
			return err
		}
	}
	conn.nc.SetDisconnectErrHandler(func(*nats.Conn, error) { w.cuts.Add(1) })
	conn.nc.SetReconnectHandler(func(*nats.Conn) { w.look.Store(true) })
	status, err := q.kv.Status(ctx)
	if err != nil {
		return err
	}
	w.look.Store(status.Values() > 0)

	aside, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	defer group.Wait()
	defer cancel()
	ping, err := conn.nc.Subscribe(q.pingSubject(), w.answer)
	if err != nil {
		return err
	}
	defer func() { _ = ping.Unsubscribe() }()
	orders, err := q.orders(aside)
	if err != nil {
		return err
	}
	group.Go(func() { w.heed(aside, orders) })
	if w.untilEmpty {
		group.Go(func() { w.watchEmpty(aside) })
	}
	opts := []natslimit.Option{
		natslimit.Deliveries(w.tries), natslimit.Backoff(w.backoff), natslimit.DeadLetter(w.bury), natslimit.Drain(w.drain),
	}
	if w.fleet {
		fleet := natslimit.NewFleet(q.js, q.kv)
		fleet.Max, fleet.Start = w.fleetMax, w.fleetStart
		opts = append(opts, natslimit.Share(fleet))
	}
	err = natslimit.Consume(ctx, q.consumer, w.x.Limiter(), w.handle, opts...)
	if err == nil && w.gone.Load() {
		return q.deleted()
	}
	return q.judged(err)
}

// emptyEvery is how often an idle worker looks whether jobs are left.
const emptyEvery = 20 * time.Millisecond

// watchEmpty ends the work when no job is left.
func (w *worker) watchEmpty(ctx context.Context) {
	for ctx.Err() == nil {
		if w.x.Limiter().Stats().InFlight == 0 {
			if n, err := w.q.waiting(ctx); err == nil && n == 0 {
				w.stop()
				return
			}
		}
		select {
		case <-time.After(emptyEvery):
		case <-ctx.Done():
		}
	}
}

// A jobError is the result of a try that failed.
type jobError struct{ *record }

func (e jobError) Error() string { return e.record.Error }

// handle runs a job and records its result, if it has none.
func (w *worker) handle(ctx context.Context, m jetstream.Msg) error {
	j, err := readJob(m)
	if err != nil {
		return natslimit.Permanent(err)
	}
	revision, recorded, err := w.before(ctx, j, w.look.Load())
	if err != nil || recorded {
		return err
	}
	res, err := w.try(ctx, j)
	if errors.Is(err, run.ErrCommand) {
		return natslimit.Permanent(err)
	}
	if err != nil {
		return err
	}
	r := newRecord(j, w.name, &res)
	if res.Failed() {
		return jobError{r}
	}
	// Nobody need wait for the server with a place among the running jobs.
	natslimit.Record(ctx, func(ctx context.Context) error {
		if err := w.write(ctx, r, revision); err != nil {
			return err
		}
		w.done.Add(1)
		return nil
	})
	return nil
}

// before reports whether j has its result already, and else the revision of the
// record that this takes the place of.
func (w *worker) before(ctx context.Context, j *job, look bool) (revision uint64, recorded bool, err error) {
	if !look && j.deliveries == 1 && j.round == 1 {
		return 0, false, nil
	}
	r, err := w.q.read(ctx, j.number)
	if err != nil || r == nil {
		return 0, false, err
	}
	if r.State == stateAgain && r.Round < j.round {
		return r.revision, false, nil
	}
	return 0, true, nil
}

const (
	scarcePause = 100 * time.Millisecond
	// scarceFor is how long a job waits in hand for the machine to have room; then
	// another worker may.
	scarceFor = 10 * time.Second
)

// try runs j, as soon as the machine has room for it.
func (w *worker) try(ctx context.Context, j *job) (run.Result, error) {
	for began := time.Now(); ; {
		res, err := w.x.Run(int64(j.number), j.values)
		if !errors.Is(err, run.ErrScarce) || time.Since(began) > scarceFor {
			return res, err
		}
		select {
		case <-time.After(scarcePause):
		case <-ctx.Done():
			return res, run.ErrCut
		}
	}
}

// recordMost is how long a worker that is to end tries to record what it has finished.
const recordMost = 5 * time.Second

// write records r, though ctx may be done: the job has run.
func (w *worker) write(ctx context.Context, r *record, revision uint64) error {
	last, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	stop := context.AfterFunc(ctx, func() {
		select {
		case <-time.After(recordMost):
			cancel()
		case <-last.Done():
		}
	})
	defer stop()
	if err := w.same(last, r); err != nil {
		return err
	}
	return w.q.write(last, r, revision)
}

// longJob is how long a job must have taken for it to be looked whether the queue is still the
// same, even if the server was never away: one question costs nothing beside it.
const longJob = 10 * time.Second

// same returns an error if the queue was deleted since r began. There may be one of the
// same name, whose jobs have the same numbers: r is no result of theirs.
func (w *worker) same(ctx context.Context, r *record) error {
	cuts := w.cuts.Load()
	if !w.gone.Load() && (cuts != w.known.Load() || time.Since(r.Began) > longJob) {
		_, err := w.q.waiting(ctx)
		switch {
		case errors.Is(err, errDeleted):
			w.gone.Store(true)
			w.stop()
		case err != nil:
			return err
		default:
			w.known.Store(cuts)
		}
	}
	if w.gone.Load() {
		return w.q.deleted()
	}
	return nil
}

// bury records that a job has failed for good.
func (w *worker) bury(ctx context.Context, m jetstream.Msg, cause error) error {
	j, err := readJob(m)
	if err != nil && j == nil {
		return err
	}
	revision, recorded, err := w.before(ctx, j, true)
	if err != nil || recorded {
		return err
	}
	e, ok := errors.AsType[jobError](cause)
	if !ok {
		now := time.Now()
		e.record = newRecord(j, w.name, &run.Result{Status: -1, Began: now})
		e.record.Error = cause.Error()
	}
	if err := w.q.try(ctx, func(ctx context.Context) error {
		_, err := w.q.kv.PutString(ctx, deadKey(j.number), "")
		return err
	}); err != nil {
		return err
	}
	if err := w.write(ctx, e.record, revision); err != nil {
		return err
	}
	w.failed.Add(1)
	return nil
}

// backoff returns the pause before the try after so many.
func (w *worker) backoff(tries int) time.Duration {
	return min(w.pause<<min(tries-1, 16), max(w.pause, time.Minute))
}
