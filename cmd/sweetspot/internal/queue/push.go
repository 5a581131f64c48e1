package queue

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
	"github.com/spf13/cobra"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
)

func pushCommand() *cobra.Command {
	conn := &connection{pushes: true}
	c := &cobra.Command{
		Use:           "push NAME [::: VALUES...]",
		Short:         "Add a job for each value to a queue",
		Long:          "Add a job to the queue NAME for each line of stdin, of a file, or for each value given: the forms of lists are those of sweetspot run.",
		Args:          named,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	conn.register(c.Flags())
	lists := run.NewLists(c.Flags())
	refuse(c, "context", "X", "-X repeats a word of the command, and push knows none: want -m, and {} once for all values of a job in the command of queue work")
	refuse(c, "pipe", "", "--pipe gives jobs a stream to read, and those of a queue have values: want the stream in files, and push their names")
	c.RunE = func(c *cobra.Command, args []string) error {
		ctx, stop := interruptible()
		defer stop()
		defer conn.close()
		values, err := lists.Open(ctx, args[1:])
		if err != nil {
			return exitError(ctx, err)
		}
		if err := conn.open(ctx, false, nil); err != nil {
			return exitError(ctx, err)
		}
		q, err := conn.queue(ctx, args[0], true)
		if err != nil {
			return exitError(ctx, err)
		}
		n, err := q.push(ctx, values)
		if n > 0 || err == nil {
			say(fmt.Sprintf("pushed %s to %s", count(n, "job"), q.name))
		}
		return exitError(ctx, err)
	}
	return c
}

// An unfit is a flag that means nothing here, though it does to run, and says why.
type unfit string

// Set implements [pflag.Value].
func (u unfit) Set(string) error { return u }

func (u unfit) String() string { return "" }
func (u unfit) Type() string   { return "bool" }
func (u unfit) Error() string  { return string(u) }

// refuse lets a flag of run be answered with why it is none of c.
func refuse(c *cobra.Command, name, short, why string) {
	f := c.Flags().VarPF(unfit(why), name, short, "")
	f.NoOptDefVal, f.Hidden = "true", true
	c.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		if u, ok := errors.AsType[unfit](err); ok {
			return u
		}
		return err
	})
}

// pushAtOnce is how many jobs are under way to the server at a time.
const pushAtOnce = 1024

// push adds a job for each value, and returns how many are safely there. Their order
// is that of the values, but for those that were under way when a server died.
func (q *queue) push(ctx context.Context, values *run.Values) (n int, err error) {
	id := nuid.Next() // with their index, it tells jobs apart that are sent twice
	for {
		batch := make([]*nats.Msg, 0, pushAtOnce)
		var end error
		for len(batch) < cap(batch) && end == nil {
			var v []string
			if v, end = values.Next(ctx); end != nil {
				break
			}
			m := q.message(v)
			m.Header.Set(jetstream.MsgIDHeader, id+"."+strconv.Itoa(n+len(batch)))
			if int64(len(m.Data)) > q.nc.MaxPayload()/2 {
				end = fmt.Errorf("the values of job %d of this list are %d bytes long, more than the server takes", n+len(batch)+1, len(m.Data))
				break
			}
			batch = append(batch, m)
		}
		if err := q.publish(ctx, batch); err != nil {
			return n, err
		}
		n += len(batch)
		switch {
		case end == io.EOF:
			return n, nil
		case end != nil:
			return n, end
		}
	}
}

// send sends messages until all of them are confirmed.
func (q *sending) send(ctx context.Context, batch []*nats.Msg) (err error) {
	for len(batch) > 0 {
		if batch, err = q.unrecorded(ctx, batch); err != nil {
			return err
		}
		sent := make([]jetstream.PubAckFuture, 0, len(batch))
		before := q.denied.Load()
		err := q.try(ctx, func(ctx context.Context) error {
			for _, m := range batch[len(sent):] {
				f, err := q.js.PublishMsgAsync(m, jetstream.WithStallWait(askMost))
				if err != nil {
					return err
				}
				sent = append(sent, f)
			}
			return nil
		})
		if err != nil {
			return err
		}
		once, cancel := context.WithTimeout(ctx, askMost)
		var left []*nats.Msg
		for i, f := range sent {
			select {
			case <-f.Ok():
			case err := <-f.Err():
				if denied := q.denial(before); denied != nil {
					cancel()
					return denied
				}
				if !away(err) {
					cancel()
					return fmt.Errorf("the queue %s does not take jobs: %w", q.name, err)
				}
				left = append(left, batch[i])
			case <-once.Done():
				left = append(left, batch[i])
			}
		}
		cancel()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := q.denial(before); err != nil {
			return err
		}
		batch = left
	}
	return nil
}
