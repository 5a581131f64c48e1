package queue

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	natslimit "github.com/sweetspot-go/sweetspot/contrib/nats"

	"github.com/sweetspot-go/sweetspot/internal/exitcode"
	"github.com/sweetspot-go/sweetspot/internal/humanize"
)

type scaleOptions struct {
	min, max   int
	hold       time.Duration
	untilEmpty bool
}

func scaleCommand() *cobra.Command {
	conn, o := &connection{}, &scaleOptions{max: runtime.GOMAXPROCS(0), hold: time.Minute}
	c := &cobra.Command{
		Use:   "scale NAME [flags] -- [FLAGS OF work] COMMAND [ARGS...]",
		Short: "Start and end workers on this machine, as the queue needs them",
		Long: `Start and end processes of queue work on this machine for the queue NAME: none while there
is nothing to do, and otherwise as many as it takes to do what arrives, and what waits. Each worker
says how much it can do. Other workers of the queue count, too, and are left alone. What follows --
goes to each worker.

A worker that is not needed any more finishes its jobs. HUP, or queue drain, lets all of them do so,
and ends; INT and TERM end them, and their jobs go back to the queue. If scale is killed, its
workers finish their jobs and end.`,
		Example: `  sweetspot queue scale music --max 8 -- lame {}
  sweetspot queue scale music --until-empty -- --timeout 2m -j 4 lame {}`,
	}
	f := c.Flags()
	f.SetInterspersed(false)
	own := pflag.NewFlagSet("", pflag.ContinueOnError)
	conn.register(own)
	f.AddFlagSet(own)
	f.IntVar(&o.min, "min", 0, "keep at least `N` workers")
	f.IntVar(&o.max, "max", o.max, "start at most `N` workers; the default is the CPUs")
	f.Var((*humanize.Time)(&o.hold), "hold", "keep a worker for `TIME` after it was last needed")
	f.BoolVar(&o.untilEmpty, "until-empty", false, "end when no job is left")
	return worded(c, conn, func(c *cobra.Command, name string, command []string) error {
		if err := o.check(command); err != nil {
			return &exitcode.Error{Code: 255, Err: err}
		}
		defer conn.close()
		ctx, stop := exitcode.UntilSignal(context.Background())
		defer stop()
		err := conn.open(ctx, true, say)
		if err == nil {
			err = o.scale(ctx, conn, name, append(given(own), command...))
		}
		return exitError(ctx, err)
	})
}

func (o *scaleOptions) check(command []string) error {
	switch {
	case len(command) == 0:
		return errors.New("no command for the workers: want it behind --")
	case o.min < 0:
		return fmt.Errorf("--min %d: want 0 or more", o.min)
	case o.max < max(o.min, 1):
		return fmt.Errorf("--max %d: want at least 1, and --min, which is %d", o.max, o.min)
	case o.hold < 0:
		return fmt.Errorf("--hold %v: want 0 or more", o.hold)
	}
	return nil
}

// given returns the flags of a connection that were given, for the workers.
func given(own *pflag.FlagSet) (args []string) {
	own.VisitAll(func(g *pflag.Flag) {
		if g.Changed {
			args = append(args, "--"+g.Name+"="+g.Value.String())
		}
	})
	return args
}

// scaleEvery is the time between two looks. A process starts within a fraction of it.
const scaleEvery = time.Second

// scale keeps the workers until ctx is done, or nothing is left to do.
func (o *scaleOptions) scale(ctx context.Context, conn *connection, name string, args []string) error {
	q, err := conn.queue(ctx, name, true)
	if err != nil {
		return err
	}
	var group sync.WaitGroup
	defer group.Wait()
	aside, cancel := context.WithCancel(ctx)
	defer cancel()
	// A worker without jobs listens for orders to workers.
	ear := &worker{q: q}
	ear.drain, ear.stop = context.WithCancel(context.Background())
	orders, err := q.orders(aside)
	if err != nil {
		return err
	}
	group.Go(func() { ear.heed(aside, orders) })
	hangup := make(chan os.Signal, 1)
	if !signal.Ignored(syscall.SIGHUP) { // as by nohup
		signal.Notify(hangup, syscall.SIGHUP)
		defer signal.Stop(hangup)
	}

	c := &crew{name: name, args: args, ended: make(chan *process)}
	defer c.end()
	scale := natslimit.Scale{Hold: o.hold}
	tick := time.NewTicker(scaleEvery)
	defer tick.Stop()
	for needed := time.Now(); ; {
		workers, err := q.workers(ctx)
		if err != nil {
			return err
		}
		info, err := q.info(ctx)
		if err != nil {
			return err
		}
		workers = c.present(workers, info.NumAckPending)
		others := c.others(workers)
		scale.Min, scale.Max = o.min+others, o.max+others
		want := scale.Next(info, workers).Replicas - others
		if natslimit.Active(info) {
			needed = time.Now()
		} else {
			if o.untilEmpty {
				return c.drain(ctx)
			}
			if want = min(want, len(c.workers)); time.Since(needed) >= o.hold {
				want = 0
			}
		}
		if err := c.set(min(max(want, o.min), o.max), workers); err != nil {
			return err
		}
		for next := false; !next; {
			select {
			case p := <-c.ended:
				if err := c.gone(p); err != nil {
					return err
				}
			case <-tick.C:
				next = true
			case <-hangup:
				return c.drain(ctx)
			case <-ear.drain.Done():
				if ear.gone.Load() {
					err = q.deleted()
				}
				return errors.Join(err, c.drain(ctx))
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
}

// workers returns who works on the queue now, by name.
func (q *queue) workers(ctx context.Context) ([]natslimit.Worker, error) {
	return asked(ctx, q.try, func(ctx context.Context) ([]natslimit.Worker, error) {
		before := q.denied.Load()
		all, err := natslimit.Workers(ctx, q.nc, prefix+q.name, consumerName)
		if err == nil {
			err = q.denial(before) // nobody answers a question that is not allowed
		}
		return all, err
	})
}
