package queue

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"github.com/sweetspot-go/sweetspot"
	natslimit "github.com/sweetspot-go/sweetspot/contrib/nats"
)

// A status is what queue status --json prints.
type status struct {
	Version int    `json:"version"`
	Name    string `json:"name"`
	// Waiting are the jobs without a result, Taken those of them that a worker has,
	// or that wait for another try.
	Waiting uint64             `json:"waiting"`
	Taken   int                `json:"taken"`
	Done    int                `json:"done"`
	Failed  int                `json:"failed"`
	Workers []natslimit.Worker `json:"workers"`

	Fleet *natslimit.FleetStatus `json:"fleet,omitempty"`
}

func statusCommand() *cobra.Command {
	asJSON := false
	c := &cobra.Command{
		Use:        "status [NAME]",
		SuggestFor: []string{"list", "ls"},
		Short:      "Say how far a queue is, and which workers it has",
		Long:       "Say how far the queue NAME is, and which workers it has; without a NAME, do so for all queues.",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return oneName(c, args)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print a line of JSON for each queue: version, name, waiting, taken, done, failed, workers, fleet")
	return connected(c, func(ctx context.Context, conn *connection, names []string) error {
		if len(names) == 0 {
			var err error
			if names, err = conn.names(ctx); err != nil {
				return err
			}
			if len(names) == 0 {
				say("there are no queues " + conn.place() + ": queue push makes one")
			}
		}
		for _, name := range names {
			q, err := conn.queue(ctx, name, false)
			if err != nil {
				return err
			}
			s, err := q.status(ctx)
			if err != nil {
				return err
			}
			if err := s.print(os.Stdout, asJSON); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *status) print(w io.Writer, asJSON bool) error {
	if !asJSON {
		return s.tell(w)
	}
	line, err := marshal(s)
	if err == nil {
		_, err = fmt.Fprintf(w, "%s\n", line)
	}
	return err
}

func (q *queue) status(ctx context.Context) (*status, error) {
	info, err := q.info(ctx)
	if err != nil {
		return nil, err
	}
	s := &status{Version: recordVersion, Name: q.name, Taken: info.NumAckPending, Workers: []natslimit.Worker{}}
	if s.Waiting, err = q.waiting(ctx); err != nil {
		return nil, err
	}
	all, err := q.numbers(ctx, jobKeys)
	if err != nil {
		return nil, err
	}
	failed, again, unread, err := q.failed(ctx, deadKeys, anewKeys)
	if err != nil {
		return nil, err
	}
	if len(unread) > 0 {
		say(q.cannotRead(unread).Error())
	}
	// Which have failed is asked later: some of them had no result before.
	for _, r := range append(failed, again...) {
		delete(all, r.Job)
	}
	for _, n := range unread {
		delete(all, n)
	}
	s.Failed, s.Done = len(failed), len(all)
	workers, err := q.workers(ctx)
	if err != nil {
		return nil, err
	}
	s.Workers = append(s.Workers, workers...)
	if fleet, err := natslimit.LoadFleet(ctx, q.kv, prefix+q.name, consumerName); err == nil {
		s.Fleet = &fleet
	}
	return s, nil
}

// failed returns the jobs that failed, in their order, and those that are to be tried
// anew, as far as keys lead to them, and those of which that is not known, since the store is damaged.
func (q *queue) failed(ctx context.Context, keys ...string) (failed, again []*record, unread []uint64, err error) {
	there, err := q.numbers(ctx, keys...)
	if err != nil {
		return nil, nil, nil, err
	}
	numbers := slices.Sorted(maps.Keys(there))
	all, err := sweetspot.Map(ctx, numbers, q.read, sweetspot.Fixed(readersMost))
	if err != nil {
		return nil, nil, nil, err
	}
	for i, r := range all {
		switch {
		case r == nil:
			unread = append(unread, numbers[i])
		case r.State == stateFailed:
			failed = append(failed, r)
		case r.State == stateAgain:
			again = append(again, r)
		}
	}
	unread, err = q.unread(ctx, unread)
	return failed, again, unread, err
}

func (s *status) tell(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%s: %d waiting, of which %d taken; %d done, %d failed\n", s.Name, s.Waiting, s.Taken, s.Done, s.Failed)
	for _, one := range s.Workers {
		note := one.Why
		if one.Draining {
			note = "ends"
		}
		if note != "" {
			note = "; " + note
		}
		if err == nil {
			_, err = fmt.Fprintf(w, "  %s: %d of %d running, %d ended%s\n", one.Name, one.InFlight, one.Limit, one.Ended, note)
		}
	}
	if f := s.Fleet; f != nil && err == nil {
		_, err = fmt.Fprintf(w, "  all together: %d of %d running, by %s\n", f.InFlight, f.Limit, f.Leader)
	}
	return err
}
