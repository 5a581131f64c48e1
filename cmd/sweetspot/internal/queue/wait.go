package queue

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
)

// failedMost is the exit code for more failed jobs than there are codes, as of run.
const failedMost = 101

func waitCommand() *cobra.Command {
	return on(&cobra.Command{
		Use:   "wait NAME",
		Short: "Wait until every job has its result",
		Long:  "Wait until every job of the queue NAME has its result. The exit status is the number of jobs that failed, 101 if there are more than 100.",
	}, func(ctx context.Context, q *queue) error {
		for {
			n, err := q.waiting(ctx)
			if err != nil {
				return err
			}
			if n == 0 {
				break
			}
			select {
			case <-time.After(awaitEvery):
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		failed, _, err := q.failed(ctx, deadKeys)
		if err != nil || len(failed) == 0 {
			return err
		}
		return &run.ExitError{Code: min(len(failed), failedMost)}
	})
}
