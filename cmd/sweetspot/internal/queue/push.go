package queue

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
	"github.com/spf13/cobra"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/usage"
	"github.com/sweetspot-go/sweetspot/internal/exitcode"
	"github.com/sweetspot-go/sweetspot/internal/humanize"
)

func pushCommand() *cobra.Command {
	conn := &connection{pushes: true}
	c := &cobra.Command{
		Use:   "push NAME [::: VALUES...]",
		Short: "Add a job for each value to a queue",
		Long: `Add a job to the queue NAME for each line of stdin, of a file, or for each value given. Lists have
the forms of sweetspot run.`,
	}
	conn.register(c.Flags())
	c.Flags().SetInterspersed(false) // a value may begin with -
	lists := run.NewLists(c.Flags())
	usage.Hide(c.Flags(), usage.Refusal("-X repeats a word of the command, and push knows none: want -m, and {} once for all values of a job in the command of queue work"), "context X", false)
	usage.Hide(c.Flags(), usage.Refusal("--pipe gives jobs a stream to read, and those of a queue have values: want the stream in files, and push their names"), "pipe", false)
	usage.Hide(c.Flags(), usage.Refusal("--header names columns for the command, and push knows none: want {1}, {2} in the command of queue work, and the list from its second line on (tail -n +2)"), "header", true)
	usage.Hide(c.Flags(), usage.Refusal("--longest-first sorts the jobs of one run: want a list in the order that the jobs are to have"), "longest-first", true)
	return worded(c, conn, func(_ *cobra.Command, name string, words []string) error {
		ctx, stop := exitcode.UntilSignal(context.Background())
		defer stop()
		defer conn.close()
		values, err := lists.Open(ctx, words)
		if err != nil {
			return exitError(ctx, err)
		}
		if err := conn.open(ctx, false, say); err != nil {
			return exitError(ctx, err)
		}
		q, err := conn.queue(ctx, name, true)
		if err != nil {
			return exitError(ctx, err)
		}
		n, err := q.push(ctx, values)
		if n > 0 || err == nil {
			say(fmt.Sprintf("pushed %s to %s", humanize.Count(n, "jobs"), q.name))
		}
		return exitError(ctx, err)
	})
}

const (
	// pushAtOnce is how many jobs are under way to the server at a time.
	pushAtOnce = 1024
	// pushSoon is how long a job waits for others to go with it: its list may have no end.
	pushSoon = 20 * time.Millisecond
)

// push adds a job for each value, and returns how many are safely there. Their order
// is that of the values, but for those that were under way when a server died.
func (q *queue) push(ctx context.Context, values *run.Values) (n int, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type one struct {
		values []string
		err    error
	}
	coming := make(chan one, 64)
	go func() {
		for ctx.Err() == nil {
			v, err := values.Next(ctx)
			select {
			case coming <- one{v, err}:
			case <-ctx.Done():
			}
		}
	}()
	id := nuid.Next() // with their index, it tells jobs apart that are sent twice
	for {
		batch := make([]*nats.Msg, 0, pushAtOnce)
		var end error
		var soon <-chan time.Time // none before the first job
		for waits := true; waits && len(batch) < cap(batch) && end == nil; {
			select {
			case next := <-coming:
				if end = next.err; end != nil {
					break
				}
				m := q.message(next.values)
				m.Header.Set(jetstream.MsgIDHeader, id+"."+strconv.Itoa(n+len(batch)))
				if length := tooLong(next.values, len(m.Data), int(q.nc.MaxPayload())); length != "" {
					end = fmt.Errorf("the values of job %d of this list are %s, more than the server takes", n+len(batch)+1, length)
					break
				}
				if batch = append(batch, m); soon == nil {
					soon = time.After(pushSoon)
				}
			case <-soon:
				waits = false
			case <-ctx.Done():
				end = context.Cause(ctx)
			}
		}
		if ctx.Err() != nil {
			return n, context.Cause(ctx) // none of the batch was sent
		}
		if len(batch) > 0 { // else what was pushed is there already
			left, err := q.publish(ctx, batch)
			n += len(batch) - left
			if ctx.Err() != nil && left > 0 {
				q.say(humanize.Count(left, "jobs") + " not confirmed, which may be in the queue")
			}
			if err != nil {
				return n, err
			}
		}
		switch {
		case end == io.EOF:
			return n, nil
		case end != nil:
			return n, end
		}
	}
}

// growthMost is how much longer values can be in a record than in a message: what is not UTF-8, by itself
// in a value, most of all.
const growthMost = 9

// tooLong says how long values are if a server that takes most bytes does not take their message, or
// the record of their job: a job without one would run again and again.
func tooLong(values []string, message, most int) string {
	switch {
	case message > most/2:
		return fmt.Sprintf("%d bytes long", message)
	case message > most/2/growthMost:
		inRecord, err := marshal(asTexts(values))
		if err == nil && len(inRecord) > most-most/16 { // the rest of the record needs room, too
			return fmt.Sprintf("%d bytes long in JSON, as results have them", len(inRecord))
		}
	}
	return ""
}

// publish sends messages until all of them are confirmed, and on the disk if the home wants
// that. A server that is away is waited for, as long as it knows messages that are sent twice.
//
// It returns how many are not known to be there.
func (q *queue) publish(ctx context.Context, batch []*nats.Msg) (left int, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, pushMost, errDoubt)
	defer cancel()
	s := q.sending()
	var failed error
	err = q.durably(ctx, whole, func(ctx context.Context) error {
		left, failed = s.confirm(ctx, batch)
		if left == len(batch) {
			return failed
		}
		return nil // the disk is to keep the others
	})
	switch {
	case err == nil:
		return left, failed
	case errors.Is(err, errDoubt):
		return len(batch), fmt.Errorf("the queue %s takes no jobs: %s %w", q.name, humanize.Count(len(batch), "jobs"), err)
	case ctx.Err() == nil:
		return len(batch), err
	}
	return left, err // who does not wait for the disk learns what the server has confirmed
}

// errDoubt ends a push that the server does not confirm.
var errDoubt = fmt.Errorf("not confirmed for %v: whether they are in the queue is not known", pushMost)

// confirm sends messages until the server has confirmed all of them, or takes none. It returns
// how many are not confirmed.
func (s *sending) confirm(ctx context.Context, batch []*nats.Msg) (int, error) {
	moved, cuts := time.Now(), s.nc.Stats().Reconnects // when something was confirmed, or the connection made
	err := s.try(ctx, func(once context.Context) error {
		left, err := s.unrecorded(ctx, batch)
		if err == nil {
			left, err = s.send(once, left)
		}
		fewer, again := len(left) < len(batch), s.nc.Stats().Reconnects
		batch = left
		switch {
		case full(err):
			return s.reason(ctx, err)
		case err == nil || !away(err):
			return err
		case fewer || again != cuts || !s.nc.IsConnected():
			moved, cuts = time.Now(), again
		case time.Since(moved) > pushPatience:
			return s.reason(context.WithoutCancel(ctx), err)
		}
		return err
	})
	if err != nil && ctx.Err() == nil && !errors.Is(err, errDeleted) {
		err = fmt.Errorf("the queue %s takes no jobs: %w", s.name, err)
	}
	return len(batch), err
}

// send sends messages once. It returns those that are not confirmed, and why.
func (q *queue) send(ctx context.Context, batch []*nats.Msg) (left []*nats.Msg, err error) {
	sent := make([]jetstream.PubAckFuture, 0, len(batch))
	for _, m := range batch {
		f, serr := q.js.PublishMsgAsync(m, jetstream.WithStallWait(askMost))
		if serr != nil {
			err = serr
			break
		}
		sent = append(sent, f)
	}
	for i, f := range sent {
		select {
		case <-f.Ok():
			continue
		case ferr := <-f.Err():
			if err == nil || away(err) { // else that is what counts
				err = ferr
			}
		case <-ctx.Done():
			if err == nil {
				err = context.Cause(ctx)
			}
		}
		left = append(left, batch[i])
	}
	return append(left, batch[len(sent):]...), err
}

const (
	// pushPatience is how long a server that is connected may confirm nothing: several
	// elect a leader in a second or two.
	pushPatience = 5 * time.Second
	// pushMost is how long a message is sent again that was not confirmed. After
	// keepDuplicates the server would take it for another job.
	pushMost = keepDuplicates - time.Minute
)
