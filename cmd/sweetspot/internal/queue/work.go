package queue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"
	"github.com/sweetspot-go/sweetspot"
	natslimit "github.com/sweetspot-go/sweetspot/contrib/nats"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
	"github.com/sweetspot-go/sweetspot/internal/exitcode"
	"github.com/sweetspot-go/sweetspot/internal/humanize"
)

type workOptions struct {
	untilEmpty bool
	untilEOF   bool
	tries      int
	deaths     int
	outputMax  run.Size
	pause      time.Duration
	lease      time.Duration
	keep       time.Duration
	keeps      bool // keep was given
	fleet      bool
	fleetMax   int
	fleetStart int
}

func workCommand() *cobra.Command {
	conn, o := &connection{}, &workOptions{outputMax: outputMost, pause: time.Second}
	c := &cobra.Command{
		Use:   "work NAME [flags] [--] COMMAND [ARGS...]",
		Short: "Run a command for each job of a queue",
		Long: `Run COMMAND for each job of the queue NAME, as sweetspot run does, and record its result.
Start it on any number of machines. HUP, or queue drain, lets the running jobs finish; INT and TERM
end them, and they go back to the queue. The exit status does not count failed jobs, since other
workers may have run them: that of queue wait does.`,
		Example: `  sweetspot queue work music --until-empty lame {}
  sweetspot queue work music -j 4 -c 'lame {} && rm {}'`,
	}
	f := c.Flags()
	conn.register(f)
	f.BoolVar(&o.untilEmpty, "until-empty", false, "end when no worker has a job left")
	f.BoolVar(&o.untilEOF, "until-eof", false, "finish the running jobs and end, as after HUP, when stdin ends")
	f.IntVar(&o.tries, "tries", 5, "give up a job that has failed `N` times")
	f.IntVar(&o.deaths, "deaths", 10, "give up a job when `N` workers have died, or were out of touch for the lease, while they had it")
	f.Var(&o.outputMax, "output-max", "keep at most `SIZE` of the stdout of each job, and of its stderr; the result says how much there was")
	f.Var((*humanize.Time)(&o.pause), "pause", "wait `TIME` before the second try; it doubles up to a minute")
	f.Var((*humanize.Time)(&o.lease), "lease", "run a job again when its worker is out of touch for `TIME`; 30s at first, and the newest setting holds for all workers")
	f.Var((*humanize.Time)(&o.keep), "keep", "delete results after `TIME`; 0 is never, the default, and the newest setting holds for the queue")
	f.BoolVar(&o.fleet, "fleet", false, "find the best number of jobs for all workers with this flag together")
	f.IntVar(&o.fleetMax, "fleet-max", 0, "with --fleet, run at most `N` jobs at a time in total")
	f.IntVar(&o.fleetStart, "fleet-start", 0, "with --fleet, start at `N` jobs in total; the default is the CPUs of one worker")
	x := run.NewExecutor(program, f)
	return worded(c, conn, func(c *cobra.Command, name string, command []string) error {
		o.keeps = c.Flags().Changed("keep")
		return o.work(c, conn, x, name, command)
	})
}

func (o *workOptions) check() error {
	switch {
	case o.tries < 1:
		return fmt.Errorf("--tries %d: want 1 or more", o.tries)
	case o.deaths < 1:
		return fmt.Errorf("--deaths %d: want 1 or more", o.deaths)
	case o.lease != 0 && o.lease < leaseLeast:
		return fmt.Errorf("--lease %v: want %v or more", o.lease, leaseLeast)
	case o.keep != 0 && o.keep < keepLeast:
		return fmt.Errorf("--keep %v: want %v or more, or 0 for ever: the result of a job that comes again is what says that it is done", o.keep, keepLeast)
	case o.fleetMax < 0 || o.fleetMax > 0 && !o.fleet:
		return errors.New("--fleet-max N bounds the jobs of all workers: want --fleet with it, and 1 or more")
	case o.fleetStart < 0 || o.fleetStart > 0 && !o.fleet:
		return errors.New("--fleet-start N is where the search for the jobs of all workers begins: want --fleet with it, and 1 or more")
	}
	return nil
}

// keepLeast is the shortest time that results are kept: longer than workers and servers are
// away with what they have to say of a job.
const keepLeast = time.Hour

// outputMost is what is kept of an output by default. Somebody who asks for the results has
// both outputs of a job in memory, as JSON.
const outputMost = 16 << 20

// leaseLeast is the shortest lease: workers that are merely slow must not lose jobs.
const leaseLeast = 500 * time.Millisecond

type worker struct {
	*workOptions
	q    *queue
	x    *run.Executor
	name string
	// look says that jobs which come for the first time may have a result all the
	// same: a server that was killed forgets to whom it gave what.
	look   atomic.Bool
	failed atomic.Int64
	last   chan struct{} // wakes watchEmpty: a job has its result, and there was none behind it
	drain  context.Context
	stop   context.CancelFunc // ends drain
	gone   atomic.Bool        // the queue was deleted
	// cuts counts how often the server was out of sight, and known those after which
	// the queue was still the same.
	cuts, known atomic.Int64
}

func (o *workOptions) work(c *cobra.Command, conn *connection, x *run.Executor, name string, command []string) error {
	if err := o.check(); err != nil {
		return &exitcode.Error{Code: 255, Err: err}
	}
	o.fleetStart = cmp.Or(o.fleetStart, runtime.GOMAXPROCS(0))
	w := &worker{workOptions: o, x: x, name: workerName(os.Getpid()), last: make(chan struct{}, 1)}
	w.drain, w.stop = context.WithCancel(context.Background())
	defer conn.close()
	ctx, err := x.Open(context.Background(), c.Flags(), command, classify, w.stop)
	if err != nil {
		return &exitcode.Error{Code: 255, Err: err}
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
		w.x.Say(fmt.Sprintf("%s failed: queue results %s --failed says how, and queue retry-failed %s tries anew", humanize.Count(n, "jobs"), name, name))
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
	t := tuning{AckWait: w.lease}
	if w.keeps {
		t.Keep = &w.keep
	}
	if t != (tuning{}) {
		if err := q.try(ctx, func(ctx context.Context) error { return q.tune(ctx, t) }); err != nil {
			return err
		}
	}
	// The server keeps the end of a pause less the lease, and adds the lease that it has then.
	if before := q.consumer.CachedInfo(); w.lease > before.Config.AckWait && before.NumAckPending > 0 {
		w.x.Say(fmt.Sprintf("the lease is longer now: jobs that wait for another try come up to %v later", w.lease-before.Config.AckWait))
	}
	conn.nc.SetDisconnectErrHandler(func(*nats.Conn, error) {
		w.look.Store(true) // long before a message can come over the next connection
		w.cuts.Add(1)
	})
	tries, err := q.tries(ctx)
	if err != nil {
		return err
	}
	status, err := q.kv.Status(ctx)
	if err != nil {
		return err
	}
	if status.Values() > 0 {
		w.look.Store(true)
	}

	aside, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	defer group.Wait()
	defer cancel()
	orders, err := q.orders(aside)
	if err != nil {
		return err
	}
	group.Go(func() { w.heed(aside, orders) })
	group.Go(func() { w.unblock(aside) })
	if w.untilEOF {
		go func() { // a read of stdin cannot be cut short
			_, _ = io.Copy(io.Discard, os.Stdin)
			w.stop()
		}()
	}
	if w.untilEmpty {
		group.Go(func() { w.watchEmpty(aside) })
	}
	opts := []natslimit.Option{
		natslimit.Failures(w.tries, tries), natslimit.Deliveries(w.deaths),
		natslimit.Backoff(w.backoff), natslimit.DeadLetter(w.bury), natslimit.Drain(w.drain.Done()),
		natslimit.Unconfirmed(), // before looks for the result of what may have one
		natslimit.Announce(conn.nc, w.name, q.stands.reason),
	}
	if w.fleet {
		fleet := natslimit.NewFleet(tuner{q.js, q}, q.kv)
		fleet.Max, fleet.Start = w.fleetMax, w.fleetStart
		opts = append(opts, natslimit.Share(fleet))
	} else {
		group.Go(func() { w.unbind(aside) })
	}
	err = natslimit.Consume(ctx, q.consumer, w.x.Limiter(), w.handle, opts...)
	if err == nil && w.gone.Load() {
		return q.deleted()
	}
	return q.judged(err)
}

const (
	// emptyEvery is how often an idle worker looks whether jobs are left.
	emptyEvery = 20 * time.Millisecond
	// emptySoon is how soon it looks after what seems to be the last job: the server
	// has yet to hear that it is done. Each look takes twice as long.
	emptySoon = time.Millisecond
)

// watchEmpty ends the work when no job is left.
func (w *worker) watchEmpty(ctx context.Context) {
	pause := emptyEvery
	for ctx.Err() == nil {
		if w.x.Limiter().Stats().InFlight == 0 {
			if n, err := w.q.waiting(ctx); err == nil && n == 0 {
				w.stop()
				return
			}
		}
		select {
		case <-time.After(pause):
			pause = min(2*pause, emptyEvery)
		case <-w.last:
			pause = emptySoon
		case <-ctx.Done():
		}
	}
}
