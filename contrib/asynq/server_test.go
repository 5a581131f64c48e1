package asynqlimit_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hibiken/asynq"

	"github.com/sweetspot-go/sweetspot"
	asynqlimit "github.com/sweetspot-go/sweetspot/contrib/asynq"
)

// TestLimit: the server takes as many tasks from Redis as the limit allows, not one more,
// also after it was raised or lowered, and loses none.
func TestLimit(t *testing.T) {
	const tasks = 40
	b := newBed(t)
	b.enqueue(tasks)
	l := setTo(sweetspot.New(), 2)
	s := asynqlimit.NewServer(b.opt, quick(), l)
	defer s.Shutdown()
	next := make(chan struct{})
	var handled atomic.Int64
	start(t, s, func(ctx context.Context, _ *asynq.Task) error {
		if !l.Holds(ctx) {
			t.Error("the ctx of a handler has no permit")
		}
		<-next
		handled.Add(1)
		return nil
	})
	takes := func(n int) {
		t.Helper()
		for range 3 { // and no more follow
			b.eventually("as many active as permits", func(q *asynq.QueueInfo) bool { return q.Active == n })
			time.Sleep(5 * time.Millisecond)
		}
	}
	takes(2)
	l.SetLimit(5)
	takes(5)
	l.SetLimit(3)
	next <- struct{}{}
	takes(4)
	next <- struct{}{}
	next <- struct{}{}
	takes(3)
	close(next)
	b.eventually("all done", done)
	s.Shutdown()
	atRest(t, l)
	if got := l.Stats(); handled.Load() != tasks || got.Completed != tasks {
		t.Errorf("%d tasks handled and %d units done, want %d", handled.Load(), got.Completed, tasks)
	}
}

// TestConcurrency: a Concurrency that is set is a bound.
func TestConcurrency(t *testing.T) {
	b := newBed(t)
	b.enqueue(10)
	cfg := quick()
	cfg.Concurrency = 3
	l := setTo(sweetspot.New(), 8)
	s := asynqlimit.NewServer(b.opt, cfg, l)
	defer s.Shutdown()
	next := make(chan struct{})
	var running, most atomic.Int64
	start(t, s, func(context.Context, *asynq.Task) error {
		most.Store(max(most.Load(), running.Add(1)))
		<-next
		running.Add(-1)
		return nil
	})
	b.eventually("3 active", func(q *asynq.QueueInfo) bool { return q.Active == 3 })
	close(next)
	b.eventually("all done", done)
	if most.Load() > 3 {
		t.Errorf("%d handlers at a time, want at most 3", most.Load())
	}
}

// TestPriority: a task waits in its queue, so one of a queue before that overtakes it.
func TestPriority(t *testing.T) {
	b := newBed(t)
	cfg := quick()
	cfg.Queues, cfg.StrictPriority = map[string]int{"default": 1, "urgent": 2}, true
	b.enqueue(3)
	s := asynqlimit.NewServer(b.opt, cfg, setTo(sweetspot.New(), 1))
	defer s.Shutdown()
	began, next := make(chan string), make(chan struct{})
	start(t, s, func(ctx context.Context, _ *asynq.Task) error {
		queue, _ := asynq.GetQueueName(ctx)
		began <- queue
		<-next
		return nil
	})
	<-began
	b.enqueue(1, asynq.Queue("urgent"))
	next <- struct{}{}
	if got := <-began; got != "urgent" {
		t.Errorf("a task of queue %s came before the urgent one", got)
	}
	for range 2 {
		next <- struct{}{}
		<-began
	}
	close(next)
	b.eventually("all done", done)
}

// TestShutdown: it does not wait for a permit. What is running then goes back to Redis,
// and what was not taken is still there.
func TestShutdown(t *testing.T) {
	const tasks = 5
	b := newBed(t)
	b.enqueue(tasks)
	cfg := quick()
	cfg.ShutdownTimeout = 10 * time.Millisecond
	l := setTo(sweetspot.New(), 1)
	s := asynqlimit.NewServer(b.opt, cfg, l)
	blocked, end := make(chan struct{}, 1), make(chan struct{})
	start(t, s, func(context.Context, *asynq.Task) error {
		blocked <- struct{}{}
		<-end
		return nil
	})
	<-blocked
	for l.Stats().Waiting == 0 { // for the next task
		time.Sleep(time.Millisecond)
	}
	s.Stop()
	s.Shutdown()
	b.eventually("all pending", func(q *asynq.QueueInfo) bool { return q.Pending == tasks && q.Active == 0 })
	if got := l.Stats().InFlight; got != 1 {
		t.Errorf("%d permits out while a handler runs, want 1", got)
	}
	close(end)
	atRest(t, l)

	s = asynqlimit.NewServer(b.opt, cfg, l)
	defer s.Shutdown()
	var handled atomic.Int64
	start(t, s, func(context.Context, *asynq.Task) error { handled.Add(1); return nil })
	b.eventually("all done", done)
	if handled.Load() != tasks {
		t.Errorf("%d tasks handled, want %d", handled.Load(), tasks)
	}
}

// TestShutdownTwiceAtOnce: as by the signal that Run waits for and by the program itself.
// Both wait for running handlers, whose ends still reach Redis.
func TestShutdownTwiceAtOnce(t *testing.T) {
	b := newBed(t)
	b.enqueue(1)
	cfg := quick()
	cfg.ShutdownTimeout = time.Minute
	s := asynqlimit.NewServer(b.opt, cfg, sweetspot.New())
	began, end := make(chan struct{}, 1), make(chan struct{})
	start(t, s, func(context.Context, *asynq.Task) error {
		began <- struct{}{}
		<-end
		return nil
	})
	<-began
	returned := make(chan struct{}, 2)
	for range 2 {
		go func() {
			s.Shutdown()
			returned <- struct{}{}
		}()
	}
	early := 0
	select {
	case <-returned:
		early++
		t.Error("a Shutdown returned while a handler runs")
	case <-time.After(50 * time.Millisecond):
	}
	close(end)
	for range 2 - early {
		<-returned
	}
	if q, err := b.inspector.GetQueueInfo("default"); err != nil || !done(q) {
		t.Errorf("the queue is %+v (%v) after the handler and Shutdown have returned, want it empty", q, err)
	}
}

// TestStartAfterTheEnd: a server that was ended before it was started says so, and does not
// stand idle.
func TestStartAfterTheEnd(t *testing.T) {
	for name, end := range map[string]func(*asynqlimit.Server){
		"Stop": (*asynqlimit.Server).Stop, "Shutdown": (*asynqlimit.Server).Shutdown,
	} {
		t.Run(name, func(t *testing.T) {
			s := asynqlimit.NewServer(newBed(t).opt, quick(), sweetspot.New())
			defer s.Shutdown()
			end(s)
			if err := s.Start(asynq.NewServeMux()); err != asynq.ErrServerClosed {
				t.Errorf("got %v, want %v", err, asynq.ErrServerClosed)
			}
		})
	}
}

// TestOutcomes: what a task was to the Limiter, and that its permit comes back.
func TestOutcomes(t *testing.T) {
	busy, broken := errors.New("busy"), errors.New("broken")
	type counts struct{ done, overloads int64 }
	for name, test := range map[string]struct {
		handle  asynq.HandlerFunc
		opts    []asynq.Option
		want    counts
		archive int
	}{
		"nil":      {handle: func(context.Context, *asynq.Task) error { return nil }, want: counts{1, 0}},
		"error":    {handle: func(context.Context, *asynq.Task) error { return broken }, archive: 1},
		"overload": {handle: func(context.Context, *asynq.Task) error { return busy }, want: counts{0, 1}, archive: 1},
		"panic":    {handle: func(context.Context, *asynq.Task) error { panic("broken") }, archive: 1},
		"timeout": {
			handle: func(ctx context.Context, _ *asynq.Task) error { <-ctx.Done(); return ctx.Err() },
			opts:   []asynq.Option{asynq.Timeout(time.Second)}, archive: 1,
		},
		"late": {
			handle: func(context.Context, *asynq.Task) error { return nil },
			opts:   []asynq.Option{asynq.Deadline(time.Now().Add(-time.Hour))}, archive: 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBed(t)
			b.enqueue(1, append(test.opts, asynq.MaxRetry(0))...)
			l := setTo(sweetspot.New(sweetspot.Classify(func(err error) sweetspot.Outcome {
				switch err {
				case nil:
					return sweetspot.Done
				case broken, context.DeadlineExceeded:
					return sweetspot.Ignored
				}
				return sweetspot.Overloaded
			})), 1)
			cfg := quick()
			var told atomic.Int64
			cfg.ErrorHandler = asynq.ErrorHandlerFunc(func(context.Context, *asynq.Task, error) { told.Add(1) })
			s := asynqlimit.NewServer(b.opt, cfg, l)
			defer s.Shutdown()
			start(t, s, test.handle)
			b.eventually("done or archived", func(q *asynq.QueueInfo) bool {
				return q.Archived == test.archive && q.Size == test.archive
			})
			s.Shutdown()
			atRest(t, l)
			got := func() counts { st := l.Stats(); return counts{st.Completed, st.Overloads} }
			for end := time.Now().Add(time.Minute); got() != test.want && time.Now().Before(end); {
				time.Sleep(time.Millisecond) // a permit comes back a moment before its unit is counted
			}
			if got() != test.want {
				t.Errorf("done and overloads are %+v, want %+v", got(), test.want)
			}
			if told.Load() != int64(test.archive) {
				t.Errorf("the error handler was called %d times, want %d", told.Load(), test.archive)
			}
		})
	}
}

// TestUnseen: if the hook does not see how a task is taken, its handler waits for the
// permit.
func TestUnseen(t *testing.T) {
	const tasks, limit = 30, 3
	b := newBed(t)
	b.enqueue(tasks)
	cfg := quick()
	cfg.Concurrency = tasks
	l := setTo(sweetspot.New(), limit)
	s := asynqlimit.NewUnhooked(b.opt, cfg, l)
	defer s.Shutdown()
	var mu sync.Mutex
	running, most := 0, 0
	began, next := make(chan struct{}, tasks), make(chan struct{})
	start(t, s, func(context.Context, *asynq.Task) error {
		mu.Lock()
		running++
		most = max(most, running)
		mu.Unlock()
		began <- struct{}{}
		<-next
		mu.Lock()
		running--
		mu.Unlock()
		return nil
	})
	b.eventually("all taken", func(q *asynq.QueueInfo) bool { return q.Active == tasks })
	for range limit { // a task is taken before its handler begins
		<-began
	}
	close(next)
	b.eventually("all done", done)
	s.Shutdown()
	atRest(t, l)
	if got := l.Stats().Completed; most != limit || got != tasks {
		t.Errorf("%d at a time and %d done, want %d and %d", most, got, limit, tasks)
	}
}

// TestUnreadable: a message that asynq cannot read does not keep its permit, though nobody
// else takes tasks meanwhile.
func TestUnreadable(t *testing.T) {
	b := newBed(t)
	b.enqueue(1)
	b.unreadable()
	s := asynqlimit.NewServer(b.opt, quick(), setTo(sweetspot.New(), 1))
	s.GiveUpAfter(50 * time.Millisecond)
	defer s.Shutdown()
	handled := make(chan bool)
	start(t, s, func(context.Context, *asynq.Task) error { close(handled); return nil })
	select {
	case <-handled:
	case <-time.After(30 * time.Second):
		t.Error("the task behind it is never taken")
	}
}

// TestUnreadableAtTheEnd: nor does it when the server shuts down, whose Limiter others may use.
func TestUnreadableAtTheEnd(t *testing.T) {
	b := newBed(t)
	b.enqueue(1)
	b.unreadable()
	l := setTo(sweetspot.New(), 1)
	s := asynqlimit.NewServer(b.opt, quick(), l)
	defer s.Shutdown()
	start(t, s, func(context.Context, *asynq.Task) error { return nil })
	b.eventually("taken", func(q *asynq.QueueInfo) bool { return q.Active == 1 })
	s.Shutdown()
	atRest(t, l)
}

// TestMisuse: wrong arguments are named.
func TestMisuse(t *testing.T) {
	for want, call := range map[string]func(){
		"want one, such as sweetspot.New()": func() { asynqlimit.NewServer(asynq.RedisClientOpt{}, asynq.Config{}, nil) },
		"want an option that makes":         func() { asynqlimit.NewServer(noRedis{}, asynq.Config{}, sweetspot.New()) },
	} {
		func() {
			defer func() {
				if got, _ := recover().(string); !strings.Contains(got, want) {
					t.Errorf("panicked with %q, want %q", got, want)
				}
			}()
			call()
		}()
	}
	s := asynqlimit.NewServer(asynq.RedisClientOpt{}, asynq.Config{}, sweetspot.New())
	if err := s.Start(nil); err == nil {
		t.Error("no error without a handler")
	}
	s.Shutdown()
}

type noRedis struct{}

func (noRedis) MakeRedisClient() any { return nil }
