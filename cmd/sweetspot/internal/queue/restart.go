package queue

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// bootName is the file of a home that says during which run of the machine it was served
// last.
const bootName = "boot"

// afterRestart puts in order what a power failure may have left of a store, if the machine has
// restarted since the home was served. Jobs and results are on the disk before anybody hears
// of them if the home was synced, but of acknowledgements, which remove jobs, the disk has what it
// happened to write.
func (h *home) afterRestart(store string, synced bool) error {
	path, now := filepath.Join(h.dir, bootName), h.boot
	if last, err := os.ReadFile(path); err == nil && now != "" && strings.TrimSpace(string(last)) == now {
		return nil
	}
	found, err := forget(streamsIn(store))
	if err == nil && found {
		err = h.renumber(store, synced)
	}
	if err != nil {
		return err
	}
	return replaceFile(path, now)
}

// forget takes from the queues what the server noted of acknowledgements, and reports whether
// there are queues. The note may be empty or torn, and then NATS does not open the queue; or
// newer than the removal of the jobs, and then these come back and are given to nobody. Without
// it, each job that is there comes again, and meets its result if it has one.
func forget(streams string) (found bool, err error) {
	all, err := notes(streams)
	for _, note := range all {
		if err := os.Remove(note); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return true, err
		}
	}
	return len(all) > 0, err
}

// notes returns where the server notes who got which jobs of a queue, and when, and what was
// acknowledged: a file for each queue, which need not be there.
func notes(streams string) (files []string, err error) {
	all, err := os.ReadDir(streams)
	for _, stream := range all {
		if strings.HasPrefix(stream.Name(), prefix) {
			files = append(files, filepath.Join(streams, stream.Name(), "obs", consumerName, "o.dat"))
		}
	}
	return files, missing(err)
}

// renumber has the numbers of the queues go on where they were. NATS keeps the last number in the
// last block of a stream: if the disk has the removal of the block before, but not yet
// that one, it begins again at 1. Then new jobs would meet the results of old ones. A server that
// nobody else reaches does it.
func (h *home) renumber(store string, synced bool) error {
	s, err := h.start(&server.Options{DontListen: true, StoreDir: store, JetStreamMaxStore: math.MaxInt64}) // it adds nothing that stays
	if err != nil {
		return err
	}
	defer func() {
		s.Shutdown()
		s.WaitForShutdown()
	}()
	nc, err := nats.Connect("", nats.InProcessServer(s))
	if err != nil {
		return err
	}
	defer nc.Close()
	c := &connection{nc: nc, home: h, say: h.tell}
	if c.js, err = jetstream.New(nc); err != nil {
		return err
	}
	names, err := c.names(h.ctx)
	disk := newDisk(streamsIn(store), h.dir, h.flush)
	for _, name := range names {
		if err == nil {
			err = (&queue{connection: c, name: name}).renumber(h.ctx, synced)
		}
		if err == nil && synced {
			err = disk.syncQueue(name, whole)
		}
	}
	return err
}

// renumber has the next job get a number that no result has. Those that are left out then are of
// no job: each job that push has confirmed is there, if its home was synced.
func (q *queue) renumber(ctx context.Context, synced bool) error {
	switch err := q.look(ctx); {
	case errors.Is(err, jetstream.ErrBucketNotFound):
		return nil // and so no results
	case errors.Is(err, jetstream.ErrConsumerNotFound):
		_ = q.make(ctx) // or the next one that looks for it does; workers elsewhere end without it
	case err != nil:
		return err
	}
	state := q.stream.CachedInfo().State
	most, known, err := q.beyond(ctx, state.LastSeq)
	if err != nil {
		return err
	}
	for n := state.LastSeq + 1; synced && n < most; n++ {
		if !known[n] {
			if err := q.put(ctx, roundKey(n), ""); err != nil {
				return err
			}
		}
	}
	if state.Msgs == 0 && state.LastSeq < most {
		return q.stream.Purge(ctx, jetstream.WithPurgeSequence(most+1))
	}
	for last := state.LastSeq; last < most; {
		filler, err := q.js.Publish(ctx, q.subject(), nil)
		if err == nil {
			last = filler.Sequence
			err = q.stream.DeleteMsg(ctx, last)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// beyond returns, without reading results, the highest number that has one, and those beyond last
// that have one or are of no job.
func (q *queue) beyond(ctx context.Context, last uint64) (most uint64, known map[uint64]bool, err error) {
	known = map[uint64]bool{}
	for _, keys := range []string{jobKeys, deadKeys, roundKeys} {
		numbers, err := q.numbers(ctx, keys)
		if err != nil {
			return 0, nil, err
		}
		for n := range numbers {
			if n > last {
				most = max(most, n)
				known[n] = known[n] || keys != deadKeys
			}
		}
	}
	return most, known, nil
}
