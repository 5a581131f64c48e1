package docs_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
)

var consumers = sweetspot.New(sweetspot.Name("orders"), sweetspot.Max(256))

// serve works on messages until the queue ends or ctx is done, and returns when
// the last one that it has taken is settled.
func serve(ctx context.Context, q queue) error {
	var wg sync.WaitGroup
	defer wg.Wait()
	for {
		unit, err := consumers.Begin(ctx)
		if err != nil {
			return err
		}
		d, err := q.Receive(ctx) // only now: what nobody can work on stays in the queue
		if err != nil {
			unit.End(sweetspot.Ignored, 1)
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		unit = unit.Restart() // without the wait for a message
		wg.Go(func() {
			work := context.WithoutCancel(ctx) // what has begun is finished
			if err := process(work, d.message); err != nil {
				unit.End(sweetspot.Ignored, 1) // failing fast is not throughput
				d.Nack()
				return
			}
			unit.End(sweetspot.Done, 1)
			d.Ack()
		})
	}
}

func servePool(ctx context.Context, inbox <-chan message) error {
	pool := sweetspot.NewPool(ctx, func(ctx context.Context, messages iter.Seq[message]) error {
		db, err := connect(ctx) // a connection for each worker
		if err != nil {
			return err // fails the pool: Close returns it
		}
		defer db.Close()
		for m := range messages {
			if err := db.store(ctx, m); err != nil {
				return err
			}
		}
		return nil
	}, consumers)
	for m := range inbox {
		if pool.Submit(ctx, m) != nil {
			break // Close says why
		}
	}
	return pool.Close()
}

// A queue hands out messages and takes them back.
type queue interface {
	Receive(ctx context.Context) (*delivery, error)
}

type delivery struct {
	message
	q *fakeQueue
}

func (d *delivery) Ack()  { d.q.settle(d.message, true) }
func (d *delivery) Nack() { d.q.settle(d.message, false) }

// process takes a while, and cannot work on every seventh message.
func process(ctx context.Context, m message) error {
	time.Sleep(10 * time.Millisecond)
	if m%7 == 0 {
		return errNotFound
	}
	return ctx.Err()
}

type fakeQueue struct {
	next  atomic.Int64
	last  int64
	mu    sync.Mutex
	acks  int
	nacks int
	block bool // at the end, instead of io.EOF
}

func (q *fakeQueue) Receive(ctx context.Context) (*delivery, error) {
	if n := q.next.Add(1); n <= q.last {
		return &delivery{message(n), q}, nil
	}
	if q.block {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
	return nil, io.EOF
}

func (q *fakeQueue) settle(_ message, done bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if done {
		q.acks++
	} else {
		q.nacks++
	}
}

// Every message is settled once, whether the queue ends or the context.
func TestServe(t *testing.T) {
	for _, block := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			q := &fakeQueue{last: 700, block: block}
			err := serve(ctx, q)
			if want := map[bool]error{true: context.DeadlineExceeded}[block]; !errors.Is(err, want) || err == nil != (want == nil) {
				t.Errorf("got %v, want %v", err, want)
			}
			if q.acks != 600 || q.nacks != 100 {
				t.Errorf("got %d acks and %d nacks, want 600 and 100", q.acks, q.nacks)
			}
			if s := consumers.Stats(); s.InFlight != 0 || s.Waiting != 0 {
				t.Errorf("in flight %d, waiting %d, want none", s.InFlight, s.Waiting)
			}
		})
	}
}

type connection struct{ open *atomic.Int64 }

var connections atomic.Int64

func connect(context.Context) (connection, error) {
	connections.Add(1)
	return connection{&connections}, nil
}

func (c connection) Close() { c.open.Add(-1) }

func (c connection) store(ctx context.Context, m message) error { return handle(ctx, m) }

func Example_queue() {
	handled.Store(0)
	fmt.Println(servePool(context.Background(), inbox(1000)), handled.Load(), connections.Load())
	// Output: <nil> 500500 0
}
