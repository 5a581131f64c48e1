package run

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// blocks are what the jobs of --pipe read: parts of one stream, each in a file
// without a name. A file, not a pipe: nobody has to feed the job while it runs,
// it may end without reading, and another try finds all of it again.
//
// As rows they yield an empty one for each block, because the jobs have no
// values; what a job reads is found by its number.
type blocks struct {
	tally
	cut  <-chan block
	room chan struct{} // has an element for each block that is out
	err  error         // why there are no more

	mu   sync.Mutex
	last int64           // of those that next has yielded
	out  map[int64]block // by the number of the job, from 1, until it has ended
}

// A block is what one job reads, or says why there are no more.
type block struct {
	file *os.File
	size int64
	err  error
}

// newBlocks returns the blocks of a stream. It reads one ahead, beside the one
// that waits for a job; its goroutine ends with the stream, or at the next read
// once ctx is done.
func newBlocks(ctx context.Context, open func() (io.ReadCloser, error), c cutter) *blocks {
	ch := make(chan block)
	b := &blocks{cut: ch, room: make(chan struct{}, spareFiles(maxJobs)), out: make(map[int64]block)}
	go func() {
		defer close(ch)
		send := func(o block) bool {
			if o.err == nil {
				b.seen.Add(1)
			} else {
				b.ended.Store(true)
			}
			select {
			case ch <- o:
				return o.err == nil
			case <-ctx.Done():
				if o.file != nil {
					closeSpoolFile(o.file)
				}
				return false
			}
		}
		f, err := open()
		if err != nil {
			send(block{err: unreadable(c.name, err)})
			return
		}
		defer f.Close()
		c.r = f
		for send(c.block(ctx)) {
		}
	}()
	return b
}

// block puts the next block into a file. It waits for others to close some if
// there are too many.
func (c *cutter) block(ctx context.Context) block {
	text, err := c.next()
	if err != nil {
		return block{err: err}
	}
	for {
		f, err := newSpoolFile()
		if err == nil {
			if _, err = f.Write(text); err == nil {
				return block{file: f, size: int64(len(text))}
			}
			closeSpoolFile(f)
		}
		if !scarce(err) {
			return block{err: fmt.Errorf("cannot put a block of %s into a file for its job: %w", c.name, err)}
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return block{err: context.Cause(ctx)}
		}
	}
}

func (b *blocks) next(ctx context.Context) ([]string, error) {
	if b.err != nil {
		return nil, b.err
	}
	select {
	case b.room <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	select {
	case o, open := <-b.cut:
		if !open {
			return nil, context.Cause(ctx)
		}
		if b.err = o.err; b.err != nil {
			return nil, b.err
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		b.last++
		b.out[b.last] = o
		return nil, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// stdin returns what the job of a number reads, from the beginning.
func (b *blocks) stdin(seq int64) (*os.File, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f := b.out[seq].file
	_, err := f.Seek(0, io.SeekStart)
	return f, err
}

// done closes what a job has read.
func (b *blocks) done(seq int64) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	closeSpoolFile(b.out[seq].file)
	delete(b.out, seq)
	<-b.room
}

// lower gives the block of a job that could not start the lowest descriptor that is free: with
// the highest of all it could never start, see [ownFiles].
func (b *blocks) lower(seq int64) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	o := b.out[seq]
	o.file = lower(o.file)
	b.out[seq] = o
}

// close closes what no job has read, because the run ended before.
func (b *blocks) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for seq, o := range b.out {
		closeSpoolFile(o.file)
		delete(b.out, seq)
	}
}

// stdin returns what a job reads: its block, or nothing.
func (r *runner) stdin(seq int64) (*os.File, error) {
	if r.in.blocks == nil {
		return r.null, nil
	}
	return r.in.blocks.stdin(seq)
}

// sent returns how much a job finds on its stdin.
func (b *blocks) sent(seq int64) int64 {
	if b == nil {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.out[seq].size
}
