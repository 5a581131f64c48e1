package queue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/sweetspot-go/sweetspot/internal/pause"
)

// A message that NATS cannot read, since a bit of its file flipped, holds up its queue: workers get
// nothing that is behind it, and it stays in the stream. NATS cannot delete it by its number
// either, but drops it with all that is before a number. It goes on counting it as a message, until
// the stream is purged to its end.

// A stall sees that a queue does not change, and then has its way cleared.
type stall struct {
	q     *queue
	state jetstream.StreamState // at the last look
	next  time.Time             // of a look
	pause time.Duration         // until then
}

const (
	stallLeast = time.Second
	// stallMost is for a job that runs for long, which looks the same.
	stallMost = 30 * time.Second
	clearMost = 5 * time.Second
)

// look looks whether the queue stands still, and says which jobs are lost.
func (s *stall) look(ctx context.Context, say func(string)) {
	if time.Now().Before(s.next) {
		return
	}
	s.pause = min(max(2*s.pause, stallLeast), stallMost)
	now, err := s.q.state(ctx)
	if err == nil && now.Msgs > 0 && now.Msgs == s.state.Msgs && now.FirstSeq == s.state.FirstSeq && now.LastSeq == s.state.LastSeq {
		// A worker ends when the last job is removed: what is lost is said all the same.
		once, cancel := context.WithTimeout(context.WithoutCancel(ctx), clearMost)
		err := s.q.want(once, makeWay)
		cancel()
		if err != nil && !away(err) {
			say(err.Error())
			s.pause = stallLeast // there may be more
		}
	}
	s.state, s.next = now, time.Now().Add(s.pause)
}

// unreadMost is how many messages are removed at a time: each is asked for.
const unreadMost = 1000

// makeWay removes what cannot be read before the first job that can. It returns an error that names
// the jobs that are lost by that, if any.
func (q *queue) makeWay(ctx context.Context) error {
	stream, err := q.js.Stream(ctx, prefix+q.name)
	if err != nil {
		return err
	}
	info, err := stream.Info(ctx, jetstream.WithDeletedDetails(true))
	if err != nil || info.State.Msgs == 0 {
		return err
	}
	deleted := map[uint64]bool{}
	note := func(info *jetstream.StreamInfo) {
		for _, n := range info.State.Deleted {
			deleted[n] = true
		}
	}
	note(info)
	var lost []uint64
	next := info.State.FirstSeq
	for ; next <= info.State.LastSeq && len(lost) < unreadMost; next++ {
		if deleted[next] {
			continue
		}
		_, err := stream.GetMsg(ctx, next)
		if err == nil {
			break
		}
		if !errors.Is(err, jetstream.ErrMsgNotFound) {
			return err
		}
		lost = append(lost, next)
	}
	now, err := stream.Info(ctx, jetstream.WithDeletedDetails(true))
	if err != nil {
		return err
	}
	note(now) // a job that was done before it was asked for is not lost
	lost = slices.DeleteFunc(lost, func(n uint64) bool { return deleted[n] })
	switch {
	case now.State.FirstSeq != info.State.FirstSeq: // the first job was done meanwhile
		return nil
	case len(lost) == 0 && next <= info.State.LastSeq:
		return nil
	}
	if err := stream.Purge(ctx, jetstream.WithPurgeSequence(next)); err != nil || len(lost) == 0 {
		return err
	}
	return fmt.Errorf("%s of %s cannot be read, since the store is damaged, and will not run: push the values again", jobs(lost), q.name)
}

// unblock has the way cleared while w gets nothing to do.
func (w *worker) unblock(ctx context.Context) {
	for still := (stall{q: w.q}); pause.Sleep(ctx, stallLeast) == nil; {
		if w.x.Limiter().Stats().InFlight == 0 {
			still.look(ctx, w.x.Say)
		}
	}
}
