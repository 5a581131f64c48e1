package queue

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/nats-io/nats.go/jetstream"
)

// damaged returns an error if there are messages of a stream on the disk: that of a queue, or
// of its results. NATS leaves out a stream whose description it cannot read, as if it had never
// been; one that is made in its place is left out at the next start as well.
func (h *home) damaged(stream string) error {
	if h == nil {
		return nil // the server is elsewhere
	}
	dir := h.stream(stream)
	// A deletion begins with the description, and moves the directory away then. It was cut short
	// if there is none at all: a damaged disk leaves one that does not fit, and a power failure too.
	if _, err := os.Stat(filepath.Join(dir, "meta.inf")); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	blocks, err := os.ReadDir(filepath.Join(dir, "msgs"))
	if err != nil {
		return missing(err)
	}
	for _, block := range blocks {
		if info, err := block.Info(); err == nil && info.Size() > 0 {
			return fmt.Errorf("its store is damaged: %s does not match meta.sum beside it, and so NATS does not open %s: put back a copy of that directory, or remove it to begin anew",
				filepath.Join(dir, "meta.inf"), dir)
		}
	}
	return nil
}

func (h *home) stream(name string) string {
	return filepath.Join(streamsIn(filepath.Join(h.dir, storeName)), name)
}

// fresh prepares that a stream is made which the server does not know. What a power failure
// left of one that was being made, or deleted, goes first: NATS would keep its description as it is.
func (h *home) fresh(stream string) error {
	if err := h.damaged(stream); err != nil || h == nil {
		return err
	}
	return os.RemoveAll(h.stream(stream))
}

// keep has the disk keep streams, whatever the home wants of messages: NATS does not open one that a power
// failure has left without its description.
func (h *home) keep(streams ...string) error {
	if h == nil {
		return nil
	}
	return newDisk(streamsIn(filepath.Join(h.dir, storeName)), h.dir, h.flush).syncStreams(streams...)
}

// createConsumer makes the consumer of the queue. Where NATS cannot read what it has of one, that goes, and
// what it noted of acknowledgements too: each job that comes again meets its result.
func (q *queue) createConsumer(ctx context.Context, config jetstream.ConsumerConfig) error {
	if q.home != nil {
		if err := os.RemoveAll(filepath.Join(q.home.stream(prefix+q.name), "obs", consumerName)); err != nil {
			return err
		}
	}
	_, err := q.js.CreateConsumer(ctx, prefix+q.name, config)
	return err
}
