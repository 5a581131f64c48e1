package queue

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Keys of the bucket. Each result has one by the number of its job. Those that failed,
// and those that are tried anew, have another, so that they are found among all: it is
// where to look, and the result says what is so. The consumer has keys of its own, see
// Failures and Fleet of contrib/nats.
const (
	jobKeys   = "job."
	deadKeys  = "dead."
	anewKeys  = "anew."
	roundKeys = "round." // by the number of a message that is of no job: one tried a job anew
	drainName = "drain"  // changes when the workers are to end; its value is why
)

func jobKey(number uint64) string    { return jobKeys + strconv.FormatUint(number, 10) }
func deadKey(number uint64) string   { return deadKeys + strconv.FormatUint(number, 10) }
func roundKey(message uint64) string { return roundKeys + strconv.FormatUint(message, 10) }
func anewKey(number uint64) string   { return anewKeys + strconv.FormatUint(number, 10) }

// numbersMost is how long it may take to list the keys: the client's own bound is 5 s for all pages
// of 100,000 together.
const numbersMost = time.Hour

// numbers returns the numbers in the keys that begin so, in no order. It reads no message, as
// a client that lists keys does, which waits for ever where the store is damaged. Keys that
// were deleted may be among them.
func (q *queue) numbers(ctx context.Context, keys string) (all []uint64, err error) {
	begin := "$KV." + prefix + q.name + "." + keys
	err = q.try(ctx, func(once context.Context) error {
		bucket, err := q.js.Stream(once, "KV_"+prefix+q.name)
		if err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(ctx, numbersMost)
		defer cancel()
		info, err := bucket.Info(ctx, jetstream.WithSubjectFilter(begin+">"))
		if err != nil {
			return err
		}
		all = all[:0]
		for subject := range info.State.Subjects {
			n, err := strconv.ParseUint(strings.TrimPrefix(subject, begin), 10, 64)
			if err != nil {
				return fmt.Errorf("a key that is not ours: %q", strings.TrimPrefix(subject, "$KV."+prefix+q.name+"."))
			}
			all = append(all, n)
		}
		return nil
	})
	return all, err
}
