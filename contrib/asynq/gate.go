package asynqlimit

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"github.com/sweetspot-go/sweetspot"
)

// A gate makes the command by which asynq takes a task wait for a permit. Then the task
// has the permit of some such command: they are all alike.
type gate struct {
	limiter *sweetspot.Limiter
	open    context.Context // done when no more tasks are taken
	close   context.CancelFunc
	base    func() context.Context // of tasks
	late    time.Duration          // see lateAfter

	mu      sync.Mutex
	granted []*permit // of commands that have brought a task, which has not begun
	kept    *permit   // for the next command
}

// newGate returns a gate and puts its hooks into cfg.
func newGate(limiter *sweetspot.Limiter, cfg *asynq.Config) *gate {
	g := &gate{limiter: limiter, base: cfg.BaseContext, late: lateAfter}
	g.open, g.close = context.WithCancel(context.Background())
	if g.base == nil {
		g.base = context.Background
	}
	failed := cfg.ErrorHandler
	cfg.BaseContext = g.next
	cfg.ErrorHandler = asynq.ErrorHandlerFunc(func(ctx context.Context, t *asynq.Task, err error) {
		// A task whose time is up when it is taken gets no handler.
		if p := permitOf(ctx); p != nil {
			p.giveBack()
		}
		if failed != nil {
			failed.HandleError(ctx, t, err)
		}
	})
	return g
}

// DialHook is for go-redis.
func (g *gate) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessPipelineHook is for go-redis.
func (g *gate) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

// ProcessHook is for go-redis. asynq sends the commands that take tasks one after the
// other.
func (g *gate) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if !takesTask(cmd) {
			return next(ctx, cmd)
		}
		g.reclaim(g.late)
		asked := time.Now()
		p := g.takeKept(nil)
		kept := p != nil
		if !kept {
			p = g.acquire()
		}
		if p == nil {
			cmd.SetErr(redis.Nil) // as if there were no task
			return redis.Nil
		}
		if time.Since(asked) > freshFor {
			g.keep(p)
			cmd.SetErr(errStale)
			return errStale
		}
		err := next(ctx, cmd)
		switch {
		case err == nil:
		case kept && errors.Is(err, redis.Nil):
			g.keep(p) // the next command may ask another queue, whose turn would never come otherwise
			return err
		default:
			p.giveBack()
			return err
		}
		p.brought = time.Now()
		g.mu.Lock()
		g.granted = append(g.granted, p)
		g.mu.Unlock()
		return nil
	}
}

// freshFor is how long a command may wait for a permit. It holds the end of the task's lease, half a
// minute after it was made, and a task whose lease is over is ended and runs again. asynq makes another
// command at once.
const freshFor = 5 * time.Second

var errStale = errors.New("asynqlimit: the permit came late; asking again, so that the lease of the task is a full one")

// keptFor is how long a permit is kept. asynq asks its queues one after the other, at once, and rests when
// all are empty.
const keptFor = 100 * time.Millisecond

// keep keeps p for the next command, for keptFor.
func (g *gate) keep(p *permit) {
	g.mu.Lock()
	g.kept = p
	g.mu.Unlock()
	time.AfterFunc(keptFor, func() {
		if g.takeKept(p) != nil {
			p.giveBack()
		}
	})
}

// takeKept returns the permit that was kept, or nil. It must be p, unless p is nil.
func (g *gate) takeKept(p *permit) *permit {
	g.mu.Lock()
	defer g.mu.Unlock()
	kept := g.kept
	if p != nil && kept != p {
		return nil
	}
	g.kept = nil
	return kept
}

// takesTask reports whether cmd is the script of asynq that moves a task from the
// pending to the active ones, by the keys that it is for.
func takesTask(cmd redis.Cmder) bool {
	if name := cmd.Name(); name != "evalsha" && name != "eval" {
		return false
	}
	args := cmd.Args()
	if len(args) < 7 || args[2] != 4 {
		return false
	}
	for i, of := range []string{":pending", ":paused", ":active", ":lease"} {
		if key, ok := args[3+i].(string); !ok || !strings.HasSuffix(key, of) {
			return false
		}
	}
	return true
}

// A permit is held by a goroutine in a Do of the Limiter, until the task has ended.
type permit struct {
	ctx     context.Context // of the task
	claimed atomic.Bool
	ended   chan error // has the result of the handler, or is closed without one
	brought time.Time  // when the task was taken
}

type permitKey struct{}

func permitOf(ctx context.Context) *permit {
	p, _ := ctx.Value(permitKey{}).(*permit)
	return p
}

// giveBack gives the permit back, unless a handler has begun, or it was given back
// before.
func (p *permit) giveBack() {
	if p.claimed.CompareAndSwap(false, true) {
		close(p.ended)
	}
}

// acquire waits for a permit. It returns nil if the gate is closed.
func (g *gate) acquire() *permit {
	base := g.base()
	p := &permit{ended: make(chan error, 1)}
	wait, cancel := context.WithCancel(context.WithValue(context.WithoutCancel(base), permitKey{}, p))
	stop := context.AfterFunc(g.open, cancel)
	granted := make(chan *permit, 1)
	go func() {
		defer close(granted)
		defer cancel()
		_ = g.limiter.Do(wait, func(ctx context.Context) error {
			if stop() { // else the gate was closed at this moment
				p.ctx = taskContext{base, context.WithoutCancel(ctx)}
				granted <- p
				if err, ok := <-p.ended; ok {
					return err
				}
			}
			runtime.Goexit() // Ignored, whatever Classify makes of errors
			return nil
		})
	}()
	late := time.NewTicker(g.late)
	defer late.Stop()
	for {
		select {
		case p := <-granted:
			return p
		case <-late.C: // nobody else looks: asynq takes tasks in this goroutine
			g.reclaim(g.late)
		}
	}
}

// A taskContext has the values of a context that carries a permit. That one is done when
// the permit is given back, but asynq takes a task whose context is done for failed.
type taskContext struct {
	context.Context
	values context.Context
}

func (c taskContext) Value(key any) any { return c.values.Value(key) }

// next returns the base context of a task that was taken. asynq calls it once for each.
func (g *gate) next() context.Context {
	g.mu.Lock()
	defer g.mu.Unlock()
	last := len(g.granted) - 1
	if last < 0 {
		return g.base() // taken past the hook: see handle
	}
	p := g.granted[last]
	g.granted = g.granted[:last]
	return p.ctx
}

// lateAfter is when a task that was taken, and has no context yet, never gets one. It
// takes microseconds.
const lateAfter = 10 * time.Second

// reclaim gives back the permits of answers that have had no context for so long: asynq cannot read
// the task.
func (g *gate) reclaim(late time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for len(g.granted) > 0 && time.Since(g.granted[0].brought) >= late {
		g.granted[0].giveBack()
		g.granted = g.granted[1:]
	}
}

// handle runs a handler under the permit of its task, or else waits for one.
func (g *gate) handle(ctx context.Context, t *asynq.Task, next asynq.Handler) error {
	p := permitOf(ctx)
	if p == nil || !p.claimed.CompareAndSwap(false, true) {
		return g.limiter.Do(ctx, func(ctx context.Context) error { return next.ProcessTask(ctx, t) })
	}
	defer close(p.ended) // alone after a panic or a Goexit
	err := next.ProcessTask(ctx, t)
	p.ended <- err
	return err
}
