package run

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/process"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/spool"
	"github.com/sweetspot-go/sweetspot/internal/pause"
)

// blocks are what the jobs of --pipe read: parts of one stream, each in a file
// without a name. A file, not a pipe: nobody has to feed the job while it runs,
// it may end without reading, and another try finds all of it again.
//
// As rows they yield an empty one for each block, because the jobs have no
// values; what a job reads is found by its number.
type blocks struct {
	*feed
	room chan struct{} // has an element for each block that is out

	mu  sync.Mutex
	cut int64              // blocks so far
	out map[int64]*os.File // by the number of the job, from 1, until it has ended
}

// newBlocks returns the blocks of a stream. It cuts one ahead, beside the one that waits for
// a job.
func newBlocks(ctx context.Context, open opener, c cutter) *blocks {
	b := &blocks{room: make(chan struct{}, spareFiles(maxJobs)), out: make(map[int64]*os.File)}
	b.feed = readAhead(ctx, open, c.name, 0, func(r io.Reader) func() batch {
		c.r = r
		return func() batch { return b.add(ctx, &c) }
	})
	return b
}

// add puts the next block into a file. It waits for others to close some if
// there are too many.
func (b *blocks) add(ctx context.Context, c *cutter) batch {
	text, err := c.next()
	if err != nil {
		return batch{err: err}
	}
	for {
		f, err := spool.NewFile()
		if err == nil {
			if _, err = f.Write(text); err == nil {
				b.mu.Lock()
				defer b.mu.Unlock()
				b.cut++
				b.out[b.cut] = f
				return batch{values: []string{""}}
			}
			spool.CloseFile(f)
		}
		if !process.Scarce(err) {
			return batch{err: fmt.Errorf("cannot keep a block of %s for its job: %w", c.name, new(spool.Spool).NoRoom(err))}
		}
		if err := pause.Sleep(ctx, 20*time.Millisecond); err != nil {
			return batch{err: err}
		}
	}
}

func (b *blocks) next(ctx context.Context) ([]string, error) {
	select {
	case b.room <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	_, err := b.feed.next(ctx)
	return nil, err
}

// stdin returns what the job of a number reads, from the beginning, and how much that is.
func (b *blocks) stdin(seq int64) (f *os.File, size int64, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f = b.out[seq]
	if size, err = f.Seek(0, io.SeekEnd); err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	return f, size, err
}

// done closes what a job has read.
func (b *blocks) done(seq int64) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	spool.CloseFile(b.out[seq])
	delete(b.out, seq)
	<-b.room
}

// lower gives the block of a job that could not start the lowest descriptor that is free: with
// the highest of all it could never start, see [process.OutOfFiles].
func (b *blocks) lower(seq int64) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.out[seq] = process.Lower(b.out[seq])
}

// close closes what no job has read, because the run ended before.
func (b *blocks) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for seq, f := range b.out {
		spool.CloseFile(f)
		delete(b.out, seq)
	}
}

// nothing is what the jobs of all runs read without --pipe.
var nothing = sync.OnceValues(func() (*os.File, error) { return os.Open(os.DevNull) })

// stdin returns what a job reads, and how much that is: its block, or nothing.
func (r *runner) stdin(seq int64) (f *os.File, size int64, err error) {
	if r.in.blocks == nil {
		f, err = nothing()
		return f, 0, err
	}
	return r.in.blocks.stdin(seq)
}
