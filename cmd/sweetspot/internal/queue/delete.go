package queue

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/spf13/cobra"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
)

func deleteCommand() *cobra.Command {
	force := false
	c := &cobra.Command{
		Use:        "delete NAME",
		SuggestFor: []string{"rm", "remove"},
		Short:      "Delete a queue, and all its results",
		Long: `Delete the queue NAME: its jobs, their results, and what they wrote. Nothing brings them back.

As long as there are jobs without a result, that needs --force. Workers of the queue end then: they
have nobody to give results to.`,
	}
	c.Flags().BoolVar(&force, "force", false, "also if there are jobs without a result")
	return on(c, func(ctx context.Context, q *queue) error {
		waiting, err := q.waiting(ctx)
		if err != nil {
			return err
		}
		info, err := q.info(ctx)
		if err != nil {
			return err
		}
		if waiting > 0 && !force {
			return fmt.Errorf("%s has %s without a result, %d of them taken: want --force to delete it all the same",
				q.name, humanize.Count(waiting, "jobs"), info.NumAckPending)
		}
		results, err := q.numbers(ctx, jobKeys)
		if err != nil {
			return err
		}
		if err := q.delete(ctx); err != nil {
			return err
		}
		say(fmt.Sprintf("deleted %s: %s, and %s without one", q.name, humanize.Count(len(results), "results"), humanize.Count(waiting, "jobs")))
		return nil
	})
}

// delete deletes all there is of q. The stream goes last: where that is cut short, the
// queue is still found, and no old result is left for a job of a new queue with the
// same number. It is emptied first, since a worker that starts meanwhile makes the
// bucket anew, and would leave results there.
func (q *queue) delete(ctx context.Context) error {
	if err := q.put(ctx, drainName, orderDeleted); err != nil && !full(err) { // else they find out once they ask
		return err
	}
	for _, do := range []func(context.Context, string) error{
		func(ctx context.Context, _ string) error { return orBroken(q.stream.Purge(ctx)) },
		q.js.DeleteObjectStore, func(ctx context.Context, _ string) error { return q.js.DeleteKeyValue(ctx, triesPrefix+q.name) },
		q.js.DeleteKeyValue, q.js.DeleteStream,
	} {
		err := q.connection.try(ctx, func(ctx context.Context) error {
			err := do(ctx, prefix+q.name)
			if errors.Is(err, jetstream.ErrStreamNotFound) || errors.Is(err, jetstream.ErrBucketNotFound) {
				return nil
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("cannot delete %s: %w", q.name, err)
		}
	}
	return nil
}

// brokenStore is the code of an error about the store of a stream. Its server empties it no more
// until it is started again, but deletes it.
const brokenStore jetstream.ErrorCode = 10051

// orBroken returns the error of emptying a stream, unless it is only that.
func orBroken(err error) error {
	if e := (*jetstream.APIError)(nil); errors.As(err, &e) && e.ErrorCode == brokenStore {
		return nil
	}
	return err
}
