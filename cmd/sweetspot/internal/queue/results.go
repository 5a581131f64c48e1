package queue

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/spf13/cobra"
	"github.com/sweetspot-go/sweetspot"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
	"github.com/sweetspot-go/sweetspot/internal/pause"
)

func resultsCommand() *cobra.Command {
	o := &resultsOptions{}
	c := &cobra.Command{
		Use:   "results NAME",
		Short: "Print the results, in the order of the jobs",
		Long: `Print a line of JSON for each job that has a result, in the order in which the jobs were pushed:
version, job (its number), state (done or failed), values, status, signal, error, tries, round,
worker, began, seconds, stdout and stderr.`,
	}
	f := c.Flags()
	f.BoolVar(&o.failed, "failed", false, "only of jobs that failed")
	f.BoolVarP(&o.follow, "follow", "f", false, "wait for what is missing, up to the last job that is in the queue now")
	f.BoolVar(&o.stdout, "stdout", false, "print what the jobs wrote to their stdout, and nothing else")
	return on(c, func(ctx context.Context, q *queue) error {
		out := q.printer(ctx, os.Stdout)
		unread, err := o.print(ctx, q, out)
		if err == nil {
			unread, err = q.unread(ctx, unread)
		}
		if err == nil && len(unread) > 0 {
			err = q.cannotRead(unread)
		}
		return cmp.Or(err, out.Flush())
	})
}

type resultsOptions struct{ failed, follow, stdout bool }

// print prints the results, and returns the jobs that have none.
func (o *resultsOptions) print(ctx context.Context, q *queue, out *bufio.Writer) (unread []uint64, err error) {
	keys := jobKeys
	if o.failed {
		keys = deadKeys
	}
	if !o.follow {
		numbers, err := q.numbers(ctx, keys)
		if err != nil {
			return nil, err
		}
		return o.printAll(ctx, q, slices.Sorted(maps.Keys(numbers)), out)
	}
	info, err := q.stream.Info(ctx)
	if err != nil {
		return nil, err
	}
	for n := uint64(1); n <= info.State.LastSeq; n++ {
		r, err := q.await(ctx, n, out.Flush)
		switch {
		case err != nil:
		case r == nil:
			unread = append(unread, n)
		case !o.failed || r.State == stateFailed:
			err = o.printOne(ctx, q, r, out)
		}
		if err != nil {
			return nil, err
		}
	}
	return unread, out.Flush()
}

// printedAtOnce is how much of the results is printed at a time: the disk is asked for each.
const printedAtOnce = 1 << 20

// printer returns a writer to out of results that have been read.
func (q *queue) printer(ctx context.Context, out io.Writer) *bufio.Writer {
	return bufio.NewWriterSize(keptWriter{ctx, q, out}, printedAtOnce)
}

// A keptWriter writes when all that has been recorded is on the disk of the server. A result
// that somebody has read must not be lost with the power, and its job done again.
type keptWriter struct {
	ctx context.Context
	q   *queue
	out io.Writer
}

func (w keptWriter) Write(p []byte) (int, error) {
	if err := w.q.durably(w.ctx, results, func(context.Context) error { return nil }); err != nil {
		return 0, err
	}
	return w.out.Write(p)
}

// readersMost is how many results are asked for at a time: enough to hide the way to
// the server.
const readersMost = 16

// printAll prints the results of some jobs, and returns those that have none.
func (o *resultsOptions) printAll(ctx context.Context, q *queue, numbers []uint64, out *bufio.Writer) (unread []uint64, err error) {
	i := -1
	for r, err := range sweetspot.MapSeq(ctx, slices.Values(numbers), q.read, sweetspot.Fixed(readersMost)) {
		i++
		switch {
		case err != nil:
			return nil, err
		case r == nil:
			unread = append(unread, numbers[i])
		case r.State == stateAgain || o.failed && r.State != stateFailed:
		default:
			if err := o.printOne(ctx, q, r, out); err != nil {
				return nil, err
			}
		}
	}
	return unread, nil
}

func (o *resultsOptions) printOne(ctx context.Context, q *queue, r *record, out io.Writer) error {
	r.tellCut()
	switch {
	case o.stdout && r.Outputs != nil:
		left := r.Outputs.Stdout
		return q.download(ctx, r.Job, r.Outputs, func(part []byte) error {
			n := min(left, int64(len(part)))
			left -= n
			_, err := out.Write(part[:n])
			return err
		})
	case o.stdout:
		_, err := out.Write(r.Stdout)
		return err
	}
	if err := q.fetch(ctx, r); err != nil {
		return err
	}
	r.Push = ""
	line, err := marshal(r)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s\n", line)
	return err
}

// tellCut says on stderr what of the outputs is missing.
func (r *record) tellCut() {
	for _, of := range []struct {
		name  string
		whole int64
	}{{"stdout", r.StdoutBytes}, {"stderr", r.StderrBytes}} {
		if of.whole > 0 {
			say(fmt.Sprintf("job %d wrote %v to %s, and only the beginning was kept: see --output-max of queue work", r.Job, run.Size(of.whole), of.name))
		}
	}
}

// awaitEvery is how often it is looked whether a job has its result.
const awaitEvery = 50 * time.Millisecond

// await waits for the result of a job. It returns nil if the number is none of a job:
// it is that of a message that tried a job anew.
func (q *queue) await(ctx context.Context, number uint64, wait func() error) (*record, error) {
	for {
		m, err := q.stream.GetMsg(ctx, number)
		gone := errors.Is(err, jetstream.ErrMsgNotFound)
		if err != nil && !gone && !away(err) {
			return nil, err
		}
		if err == nil && m.Header.Get(roundHeader) != "" {
			return nil, nil
		}
		// In this order: a job goes after its result has come.
		r, err := q.read(ctx, number)
		if err != nil {
			return nil, err
		}
		switch {
		case r != nil && r.State != stateAgain:
			return r, nil
		case r == nil && gone:
			return nil, nil
		}
		if err := wait(); err != nil {
			return nil, err
		}
		if err := pause.Sleep(ctx, awaitEvery); err != nil {
			return nil, err
		}
	}
}
