package queue

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/spf13/cobra"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/internal/pause"
)

func drainCommand() *cobra.Command {
	return on(&cobra.Command{
		Use:        "drain NAME",
		SuggestFor: []string{"stop"},
		Short:      "Let the workers finish what they run, and end",
		Long: `Tell the workers of the queue NAME to take no more jobs, to finish those that run, and to end; wait
until none is left. What is left in the queue stays there. If no worker answers while jobs are
taken, drain waits for the lease at most: a worker out of touch for so long has lost its jobs.`,
	}, func(ctx context.Context, q *queue) error { return q.drain(ctx) })
}

// drain tells the workers to end, and waits until none is left.
func (q *queue) drain(ctx context.Context) error {
	if err := q.put(ctx, drainName, orderDrain); err != nil {
		return err
	}
	cuts, connected := uint64(0), time.Now()
	var told, warned bool
	for {
		all, err := q.workers(ctx)
		if err != nil {
			return err
		}
		if len(all) > 0 {
			if !told {
				say(fmt.Sprintf("waiting for %s to finish", humanize.Count(len(all), "workers")))
			}
			told = true
			continue
		}
		info, err := q.info(ctx)
		if err != nil {
			return err
		}
		// Only now: a server that shuts down may cut the workers' connections before ours, but it has ended
		// JetStream by then, so that info comes from the next one.
		if n := q.nc.Stats().Reconnects; n != cuts {
			cuts, connected = n, time.Now()
		}
		// A worker that does not answer may be connecting again, or be too busy. What is taken may also
		// wait for another try, and a worker that was out of touch for the lease has lost its jobs.
		lease := info.Config.AckWait
		if info.NumAckPending == 0 || time.Since(connected) >= lease {
			return nil
		}
		if !warned {
			say(fmt.Sprintf("no worker answers, with %s taken: waiting up to %v for one that is out of touch", humanize.Count(info.NumAckPending, "jobs"), lease))
		}
		warned = true
		if err := pause.Sleep(ctx, reconnectWait); err != nil {
			return err
		}
	}
}

// What workers are told to end for.
const (
	orderDrain   = ""
	orderDeleted = "deleted"
)

// orders are what workers are told from now on.
type orders struct {
	jetstream.KeyWatcher
	old uint64 // the newest revision that was for others
}

func (q *queue) orders(ctx context.Context) (*orders, error) {
	old, err := q.revision(ctx, drainName)
	o := &orders{old: old}
	for err == nil {
		// Not within try: the watch lives as long as its context. A server that goes away
		// just now, as one in the process of another command, is waited for all the same.
		o.KeyWatcher, err = q.kv.Watch(ctx, drainName)
		if err == nil || !away(err) || ctx.Err() != nil {
			break
		}
		err = pause.Sleep(ctx, reconnectWait)
	}
	return o, q.judged(err)
}

// heed ends w when it is told to, and when the queue is no longer there.
func (w *worker) heed(ctx context.Context, o *orders) {
	defer func() { _ = o.Stop() }()
	for {
		select {
		case e, open := <-o.Updates():
			if e != nil && e.Revision() > o.old {
				if string(e.Value()) == orderDeleted {
					w.gone.Store(true)
				}
				w.stop()
			}
			if open {
				continue
			}
		case <-ctx.Done():
			return
		}
		// The client gives up watching when a server is away for long, or when there
		// is nothing left to be watched.
		for {
			if _, err := w.q.waiting(ctx); errors.Is(err, errDeleted) {
				w.gone.Store(true)
				w.stop()
			}
			if w.drain.Err() != nil || ctx.Err() != nil {
				return
			}
			watcher, err := w.q.kv.Watch(ctx, drainName)
			if err == nil {
				o.KeyWatcher = watcher
				break
			}
			_ = pause.Sleep(ctx, reconnectWait) // the loop sees that ctx is done
		}
	}
}
