package queue

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
)

func drainCommand() *cobra.Command {
	return on(&cobra.Command{
		Use:   "drain NAME",
		Short: "Let the workers finish what they run, and end",
		Long:  "Tell the workers of the queue NAME to take no more jobs, to finish those that run, and to end; wait until none is left. What is left in the queue stays there.",
	}, func(ctx context.Context, q *queue) error {
		err := try(ctx, func(ctx context.Context) error {
			_, err := q.kv.PutString(ctx, drainName, "")
			return err
		})
		for first := true; err == nil; first = false {
			all, werr := q.workers(ctx)
			if err = werr; err != nil || len(all) == 0 {
				break
			}
			if first {
				say(fmt.Sprintf("waiting for %d workers to finish", len(all)))
			}
		}
		return err
	})
}
