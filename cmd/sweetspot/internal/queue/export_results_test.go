package queue

import (
	"context"
	"io"
)

// RecordOnly records that a job is done, without the disk.
func (q Queue) RecordOnly(ctx context.Context, job uint64, stdout []byte) error {
	return q.write(ctx, &record{Version: recordVersion, Job: job, State: stateDone, Stdout: stdout}, 0)
}

// Follow prints what jobs wrote to stdout as they get their results, up to the last job.
func (q Queue) Follow(ctx context.Context, out io.Writer) error {
	w := q.printer(ctx, out)
	_, err := (&resultsOptions{follow: true, stdout: true}).print(ctx, q.queue, w)
	if err == nil {
		err = w.Flush()
	}
	return err
}
