package queue

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/spf13/cobra"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
)

func retryCommand() *cobra.Command {
	return on(&cobra.Command{
		Use:   "retry-failed NAME",
		Short: "Try the jobs that failed anew",
		Long:  "Push the jobs of the queue NAME that failed once more. Their new results take the place of the old ones.",
	}, func(ctx context.Context, q *queue) error {
		n := 0
		var old []*object
		err := q.durably(ctx, whole, func(ctx context.Context) error {
			more, outputs, err := q.retryFailed(ctx)
			n, old = n+more, append(old, outputs...)
			return err
		})
		if err == nil { // else a power failure may bring back what leads to them
			for _, o := range old {
				q.discard(ctx, o)
			}
		}
		if n > 0 || err == nil {
			say(fmt.Sprintf("%s of %s to be tried anew", humanize.Count(n, "jobs"), q.name))
		}
		return err
	})
}

// retryFailed pushes the jobs that failed once more, and returns how many, and the outputs that
// nothing leads to then.
//
// First the record says so, then the message goes, then the key that led here gives way. What is
// cut short by a crash is done again the next time: a message that is there twice
// meets the record of the next round.
func (q *queue) retryFailed(ctx context.Context) (n int, old []*object, err error) {
	failed, again, unread, err := q.failed(ctx, deadKeys)
	if err != nil {
		return 0, nil, err
	}
	if len(unread) > 0 {
		say(q.cannotRead(unread).Error())
	}
	for _, r := range append(failed, again...) {
		if r.State == stateFailed {
			outputs := r.Outputs
			r.State, r.Stdout, r.Stderr, r.Outputs, r.StdoutBytes, r.StderrBytes = stateAgain, nil, nil, nil, 0, 0
			data, err := marshal(r)
			if err != nil {
				return n, old, err
			}
			err = q.try(ctx, func(ctx context.Context) error {
				_, err := q.kv.Update(ctx, jobKey(r.Job), data, r.revision)
				return err
			})
			if errors.Is(err, jetstream.ErrKeyRevisionMismatch) {
				continue // somebody else does the same, or our confirmation was lost: the next time finds it
			}
			if err != nil {
				return n, old, err
			}
			if outputs != nil {
				old = append(old, outputs)
			}
		}
		j := &job{number: r.Job, round: r.Round + 1, values: r.Values.strings()}
		if _, err := q.sending().confirm(ctx, []*nats.Msg{q.anew(j)}); err != nil {
			return n, old, err
		}
		err := q.put(ctx, anewKey(r.Job), "")
		if err == nil {
			err = q.try(ctx, func(ctx context.Context) error { return q.kv.Purge(ctx, deadKey(r.Job)) })
		}
		if err != nil {
			return n, old, err
		}
		n++
	}
	return n, old, nil
}
