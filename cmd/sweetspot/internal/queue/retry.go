package queue

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/spf13/cobra"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
)

func retryCommand() *cobra.Command {
	return on(&cobra.Command{
		Use:   "retry-failed NAME",
		Short: "Try the failed jobs anew",
		Long:  "Push the failed jobs of the queue NAME once more. Their new results take the place of the old ones.",
	}, func(ctx context.Context, q *queue) error {
		n, err := q.retryFailed(ctx)
		if n > 0 || err == nil {
			say(fmt.Sprintf("%s of %s to be tried anew", humanize.Count(n, "jobs"), q.name))
		}
		return err
	})
}

// A retry tries the failed jobs of a queue anew.
type retry struct {
	*queue
	sent map[uint64]*nats.Msg // by job: messages that a server has confirmed
	old  []*object            // outputs that nothing leads to then
}

// retryFailed has the jobs that failed tried anew, and returns how many.
func (q *queue) retryFailed(ctx context.Context) (n int, err error) {
	r := &retry{queue: q, sent: map[uint64]*nats.Msg{}}
	err = q.durably(ctx, whole, func(ctx context.Context) error {
		if err := r.resend(ctx); err != nil {
			return err
		}
		return r.sendAll(ctx)
	})
	if err == nil { // else a power failure may bring back what leads to them
		for _, o := range r.old {
			q.discard(ctx, o)
		}
	}
	return len(r.sent), err
}

// resend sends what was sent before the machine of the server has restarted: it may have lost a
// message, and have kept what was written after it.
func (r *retry) resend(ctx context.Context) error {
	for jobs := range slices.Chunk(slices.Sorted(maps.Keys(r.sent)), pushAtOnce) {
		var batch []*nats.Msg
		for _, job := range jobs {
			batch = append(batch, r.sent[job])
		}
		if _, err := r.sending().confirm(ctx, batch); err != nil {
			return err
		}
	}
	return nil
}

// sendAll pushes the jobs that failed once more, and those whose next try was lost.
//
// First the record says so, then the message goes, then the key that led here gives way to
// another one. What is cut short by a crash is done again the next time: a message that is there
// twice meets the record of the next round. A power failure may take a message, and leave what was
// written after it. Then the other key leads to the job, once the stream is empty: before, its message
// may be there.
func (r *retry) sendAll(ctx context.Context) error {
	waiting, err := r.waiting(ctx)
	if err != nil {
		return err
	}
	keys := []string{deadKeys}
	if waiting == 0 {
		keys = append(keys, anewKeys)
	}
	failed, again, unread, err := r.failed(ctx, keys...)
	if err != nil {
		return err
	}
	if len(unread) > 0 {
		say(r.cannotRead(unread).Error())
	}
	for _, rec := range append(failed, again...) {
		if err := r.sendOne(ctx, rec); err != nil {
			return err
		}
	}
	return nil
}

func (r *retry) sendOne(ctx context.Context, rec *record) error {
	dead, err := r.revision(ctx, deadKey(rec.Job))
	if err != nil {
		return err
	}
	if rec.State == stateFailed {
		outputs := rec.Outputs
		rec.State, rec.Stdout, rec.Stderr, rec.Outputs, rec.StdoutBytes, rec.StderrBytes = stateAgain, nil, nil, nil, 0, 0
		data, err := marshal(rec)
		if err != nil {
			return err
		}
		err = r.try(ctx, func(ctx context.Context) error {
			_, err := r.kv.Update(ctx, jobKey(rec.Job), data, rec.revision)
			return err
		})
		if errors.Is(err, jetstream.ErrKeyRevisionMismatch) {
			return nil // somebody else does the same, or our confirmation was lost: the next time finds it
		}
		if err != nil {
			return err
		}
		if outputs != nil {
			r.old = append(r.old, outputs)
		}
	}
	m := r.anew(&job{number: rec.Job, round: rec.Round + 1, values: rec.Values.strings()})
	if _, err := r.sending().confirm(ctx, []*nats.Msg{m}); err != nil {
		return err
	}
	r.sent[rec.Job] = m
	if err := r.put(ctx, anewKey(rec.Job), ""); err != nil {
		return err
	}
	if dead == 0 {
		return nil
	}
	err = r.try(ctx, func(ctx context.Context) error {
		return r.kv.Purge(ctx, deadKey(rec.Job), jetstream.LastRevision(dead))
	})
	if errors.Is(err, jetstream.ErrKeyRevisionMismatch) {
		return nil // the new try has failed already, or our confirmation was lost
	}
	return err
}
