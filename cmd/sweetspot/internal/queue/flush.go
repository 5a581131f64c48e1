package queue

import (
	"context"
	"sync"
	"time"
)

// To ask for a flush, and to flush, takes more CPU time than a tenth of the shortest job. So the
// results of a worker ask together: flushEvery after they last did, or when flushMany of them
// wait. The worker runs the next jobs meanwhile.
const (
	flushEvery = 20 * time.Millisecond
	flushMany  = 32
)

// flushes are the questions of the results of a queue for the disk of its server.
type flushes struct {
	mu   sync.Mutex
	last time.Time // a question
	next *flush    // that results may join
}

// A flush is a question that several results wait for. The first one asks it.
type flush struct {
	server string
	count  int
	full   chan struct{} // closed when flushMany wait
	done   chan struct{}
	err    error
	left   bool // the first one could not wait
}

// join has a result that was written to a server wait for the next question, and reports whether it
// is to ask it. A result of another server asks for itself: f is nil.
func (s *flushes) join(server string) (f *flush, first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == nil {
		s.next = &flush{server: server, full: make(chan struct{}), done: make(chan struct{})}
		first = true
	}
	f = s.next
	if f.server != server {
		return nil, true
	}
	if f.count++; f.count == flushMany {
		close(f.full)
	}
	return f, first
}

// ask calls flush, or waits for another result to do so, and returns its error.
func (s *flushes) ask(ctx context.Context, server string, flush func(context.Context) error) error {
	for {
		f, first := s.join(server)
		if f == nil {
			return flush(ctx)
		}
		if first {
			return s.lead(ctx, f, flush)
		}
		select {
		case <-f.done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if !f.left {
			return f.err
		}
	}
}

// lead asks the question of f, after others had time to join.
func (s *flushes) lead(ctx context.Context, f *flush, flush func(context.Context) error) error {
	defer close(f.done)
	s.mu.Lock()
	wait := time.Until(s.last.Add(flushEvery))
	s.mu.Unlock()
	select {
	case <-time.After(wait):
	case <-f.full:
	case <-ctx.Done():
	}
	s.mu.Lock()
	s.last, s.next = time.Now(), nil
	s.mu.Unlock()
	f.err = flush(ctx)
	f.left = f.err != nil && ctx.Err() != nil
	return f.err
}
