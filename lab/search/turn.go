package search

import (
	"context"
	"io"
	"sync"
)

// A run is one run of a Searcher.
type run struct {
	s       *Searcher
	to      io.Writer
	writing sync.Mutex // not in order, several files may write

	// A file that needs much memory waits for its turn, which it has until its
	// result has been written: in order, when all files before it are written,
	// else when no other has the turn.
	mu      sync.Mutex
	written int           // files, in order
	held    bool          // not in order: somebody has the turn
	moved   chan struct{} // closed at the next change of either; nil if nobody waits
}

func newRun(s *Searcher, out io.Writer) *run { return &run{s: s, to: out} }

// await waits for the turn of the file with that index.
func (r *run) await(ctx context.Context, index int) error {
	for {
		r.mu.Lock()
		if r.s.o.Unordered && !r.held || !r.s.o.Unordered && r.written == index {
			r.held = true
			r.mu.Unlock()
			return nil
		}
		if r.moved == nil {
			r.moved = make(chan struct{})
		}
		moved := r.moved
		r.mu.Unlock()
		select {
		case <-moved:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// write writes what is left of a file's output, and passes the turn on.
func (r *run) write(f *found) error {
	if f.failure != nil {
		r.s.report(f.failure)
	}
	err := r.flush(f)
	r.s.recycle(f)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.written++
	if f.turn {
		r.held = false
	}
	if r.moved != nil {
		close(r.moved)
		r.moved = nil
	}
	return err
}

// flush writes the output of f so far.
func (r *run) flush(f *found) error {
	if f.out.Len() == 0 {
		return nil
	}
	r.writing.Lock()
	defer r.writing.Unlock()
	_, err := r.to.Write(f.out.Bytes())
	f.out.Reset()
	return err
}
