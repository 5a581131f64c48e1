package queue

import (
	"context"
	"errors"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Keys of the bucket. Each result has one by the number of its job. Those that failed,
// and those that are tried anew, have another, so that they are found among all: it is
// where to look, and the result says what is so. A fleet has keys of its
// own, see Fleet of contrib/nats. Failures are in another bucket, see [queue.tries].
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

// numbers returns the numbers in the keys that begin in one of these ways. It leaves out keys that
// are not ours.
func (q *queue) numbers(ctx context.Context, beginnings ...string) (map[uint64]bool, error) {
	all := map[uint64]bool{}
	for _, keys := range beginnings {
		var there map[uint64]bool
		// add reports whether a key is of a number that was not there: a client that heard nothing for
		// a while begins to list anew.
		add := func(key string) bool {
			n, err := strconv.ParseUint(strings.TrimPrefix(key, keys), 10, 64)
			if err != nil || there[n] {
				return false
			}
			there[n] = true
			return true
		}
		err := q.try(ctx, func(once context.Context) error {
			there = map[uint64]bool{}
			if !q.stalls.Load() {
				err := q.list(ctx, keys, add)
				if !errors.Is(err, errStalled) {
					return err
				}
				q.stalls.Store(true)
			}
			return q.tell(ctx, once, keys, add)
		})
		if err != nil {
			return nil, err
		}
		maps.Copy(all, there)
	}
	return all, nil
}

// errStalled says that a list of keys does not end, since the store is damaged.
var errStalled = errors.New("the list of keys does not end")

// keyMost is how long the next key of a list may take: less than a command waits before it says so.
const keyMost = 2 * time.Second

// list calls add with the keys that begin so, in a time that grows with their number. The server
// reads the message of each.
func (q *queue) list(ctx context.Context, keys string, add func(key string) bool) error {
	list, err := q.kv.ListKeysFiltered(ctx, keys+">")
	if err != nil {
		return err
	}
	defer list.Stop()
	stall := time.NewTimer(keyMost)
	defer stall.Stop()
	for {
		select {
		case key, ok := <-list.Keys():
			if !ok {
				return context.Cause(ctx) // the list ends early once ctx is done
			}
			if add(key) {
				stall.Reset(keyMost)
			}
		case <-stall.C:
			return errStalled
		}
	}
}

// tellMost bounds how long tell takes: the client's own bound is 5 s for all pages of 100,000
// together.
const tellMost = time.Hour

// tell calls add with the keys that begin so, those of what was deleted too, in a time that grows
// with the square of their number. The server reads no message.
func (q *queue) tell(ctx, once context.Context, keys string, add func(key string) bool) error {
	bucket, err := q.bucket(once)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, tellMost)
	defer cancel()
	begin := "$KV." + prefix + q.name + "."
	info, err := bucket.Info(ctx, jetstream.WithSubjectFilter(begin+keys+">"))
	if err != nil {
		return err
	}
	for subject := range info.State.Subjects {
		add(strings.TrimPrefix(subject, begin))
	}
	return nil
}
