package queue

import (
	"context"
	"maps"
	"strconv"

	"github.com/nats-io/nats.go/jetstream"
)

// floorName names the floor of a queue in the description of its bucket: the number of a job. Each
// job behind it that has left the queue has a result, unless that was lost. Results up to it
// may be gone for other reasons: they had reached their age, or their loss is known.
//
// The description neither expires nor shares a file with results, and it sets their age too: the two
// change together.
const floorName = "sweetspot-floor"

func withFloor(c jetstream.StreamConfig, floor uint64) jetstream.StreamConfig {
	all := map[string]string{}
	maps.Copy(all, c.Metadata)
	all[floorName] = strconv.FormatUint(floor, 10)
	c.Metadata = all
	return c
}

func floorOf(c jetstream.StreamConfig) uint64 {
	floor, _ := strconv.ParseUint(c.Metadata[floorName], 10, 64) // one of ours
	return floor
}

// raise has wait miss no result up to that of the last job.
func (q *queue) raise(ctx context.Context, last uint64) error {
	return q.durably(ctx, results, func(ctx context.Context) error {
		return q.try(ctx, func(ctx context.Context) error {
			bucket, err := q.bucket(ctx)
			if err == nil {
				_, err = q.js.UpdateStream(ctx, withFloor(bucket.CachedInfo().Config, last))
			}
			return err
		})
	})
}

// bucket returns the stream of the results.
func (q *queue) bucket(ctx context.Context) (jetstream.Stream, error) {
	return q.js.Stream(ctx, "KV_"+prefix+q.name)
}
