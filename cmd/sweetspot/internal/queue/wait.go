package queue

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sweetspot-go/sweetspot/internal/exitcode"
	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/internal/pause"
)

// failedMost is the exit code for more failed jobs than there are codes, as of run.
const failedMost = 101

func waitCommand() *cobra.Command {
	acceptLoss := false
	c := &cobra.Command{
		Use:   "wait NAME",
		Short: "Wait until every job has its result",
		Long: `Wait until every job of the queue NAME has its result. The exit status is the number of jobs that
failed, 101 if there are more than 100, and 255 if results were lost.`,
	}
	c.Flags().BoolVar(&acceptLoss, "accept-loss", false, "from now on, miss results only of jobs that are pushed later")
	return on(c, func(ctx context.Context, q *queue) error {
		last, err := q.empty(ctx)
		if err != nil {
			return err
		}
		failed, again, unread, err := q.failed(ctx, deadKeys, anewKeys)
		if err != nil {
			return err
		}
		if len(unread) > 0 {
			return q.cannotRead(unread)
		}
		switch {
		case acceptLoss:
			err = q.raise(ctx, last)
		case len(again) == 0: // else the messages that are missed may be those of another try
			err = q.complete(ctx, last)
		}
		if err != nil {
			return err
		}
		if len(again) > 0 { // they are not in the stream
			say(fmt.Sprintf("the next try of %s of %s was lost, by a power failure or a retry-failed that was cut short: queue retry-failed %s pushes them", humanize.Count(len(again), "jobs"), q.name, q.name))
		}
		if n := len(failed) + len(again); n > 0 {
			return &exitcode.Error{Code: min(n, failedMost)}
		}
		return nil
	})
}

// empty waits until no job is left, and returns the number of the last message.
func (q *queue) empty(ctx context.Context) (uint64, error) {
	still := stall{q: q}
	for {
		s, err := q.state(ctx)
		if err != nil || s.Msgs == 0 {
			return s.LastSeq, err
		}
		still.look(ctx, say)
		if err := pause.Sleep(ctx, awaitEvery); err != nil {
			return 0, err
		}
	}
}

// complete returns an error if jobs up to the last message, and behind the floor, have no result,
// though the stream is empty. A result is confirmed before its job is removed, but a server that
// does not sync each write leaves the order in which the two reach the disk to the system.
func (q *queue) complete(ctx context.Context, last uint64) error {
	bucket, err := q.bucket(ctx)
	if err != nil {
		return err
	}
	described := bucket.CachedInfo().Config
	if described.MaxAge > 0 { // then they go in time
		return nil
	}
	floor := floorOf(described)
	there, err := q.numbers(ctx, jobKeys, roundKeys)
	if err != nil {
		return err
	}
	lost, first := 0, uint64(0)
	for n := last; n > floor; n-- {
		if !there[n] {
			lost, first = lost+1, n
		}
	}
	if lost == 0 {
		return nil
	}
	return fmt.Errorf("the results of %s of %s are gone, such as that of job %d: a power failure does that with queue serve --sync=false, and so does a damaged store; push their values again, and then accept the loss: queue wait %s --accept-loss",
		humanize.Count(lost, "jobs"), q.name, first, q.name)
}
