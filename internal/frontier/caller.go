package frontier

import (
	"context"
	"errors"
	"iter"
	"runtime"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/call"
)

// A frontier is a walk with what only the goroutine of its caller uses.
type frontier[K comparable] struct {
	walk[K]
	walker walker[K] // the caller's
	roots  iter.Seq[K]
	inRoot bool // the sequence waits for the visit of a root
	full   bool // no more roots are taken

	// Space for the first keys. The fewer bytes a small walk allocates, the sooner
	// it is done.
	stack [smallWalk]K
}

// A Config says how a walk runs.
type Config struct {
	*call.Config
	Code      uintptr // of visit, to remember what its calls cost
	Keys      int     // expected number, 0 if unknown
	AllErrors bool    // go on after an error
}

const (
	smallWalk = 8
	// aheadTime is how much work, made of roots, waits in the queue for each
	// helper: some ten times what it takes to wake the caller, who adds to it.
	aheadTime = time.Millisecond
	// aheadMost bounds the number of these roots.
	aheadMost = 1 << 14
)

// Walk calls visit once for each key that can be reached from roots, in this goroutine
// and in helpers. It returns when all visits have ended: the first error, the cause of
// ctx if that ended with keys left, or all errors, joined.
func Walk[K comparable](ctx context.Context, cfg Config, roots iter.Seq[K], visit func(context.Context, K, func(K)) error, toErr KeyErrors[K]) error {
	f := &frontier[K]{roots: roots}
	f.visit, f.toErr, f.allErrors = visit, toErr, cfg.AllErrors
	f.call.Engage(cfg.Code, cfg.Config)
	f.set.Init(cfg.Keys)
	f.serial = true
	f.queue.active = 1
	f.queue.size = &f.call.Unclaimed
	if err := f.call.Begin(ctx, f, call.Unknown); err != nil {
		return err
	}
	p := &f.walker
	p.v, p.w, p.mode, p.keys = &f.walk, &f.call.Caller, serial, f.stack[:0]
	p.pushed = p.push
	f.prestart()
	err := f.call.Run()
	if len(f.errs) == 0 {
		return err
	}
	return errors.Join(append(f.errs, err)...)
}

// prestart puts a limiter over a walk whose controller went beyond the CPUs in the last
// ones, and shares its keys from the first on: its visits wait. Otherwise one after the
// other would wait until the watch has looked.
func (f *frontier[K]) prestart() {
	c := f.call.Call
	h := &c.History
	if c.Governed() || c.Config.Fixed > 0 || !h.Steady || h.Cost < float64(call.FirstLook) || h.Limit <= runtime.GOMAXPROCS(0) {
		return
	}
	f.walker.w.Sizer.Cost = h.Cost
	c.SetCost(h.Cost) // else the first helper takes all there is
	f.wanted.Store(true)
	c.Govern()
}

// Work is the part of w.
func (f *frontier[K]) Work(w *call.Worker) error {
	if w.IsCaller {
		return f.visitAll()
	}
	return f.help(w)
}

func (f *frontier[K]) visitAll() error {
	p, c := &f.walker, f.call.Call
	defer func() { p.mode = ended }()
	f.lend()
	f.roots(func(k K) bool { return f.root(k) }) // a range would allocate twice
	f.checkRoots()
	switch ctx := c.Parent(); {
	case p.err != nil:
		return p.err
	case ctx.Err() != nil: // roots may have ended because of that
		return context.Cause(ctx)
	case f.full || p.mode == serial:
		f.remember()
		return nil
	}
	f.queue.mu.Lock()
	f.queue.closed = true
	f.queue.mu.Unlock()
	for {
		if !p.w.Aside {
			if !p.drain() {
				return p.err
			}
			if !p.w.Aside {
				p.rest()
			}
		}
		if !f.await() {
			c.Exhausted()
			return nil
		}
	}
}

// root takes a root, and reports whether to go on.
func (f *frontier[K]) root(k K) (ok bool) {
	if f.checkRoots(); f.full {
		return false
	}
	if !f.call.Watched() && !f.knownShort() {
		f.call.Watch()
	}
	f.inRoot = true
	p := &f.walker
	if p.w.Aside && p.mode == serial && !f.call.StepBack() {
		p.beginShared()
		p.mode = immediate
		f.queue.leave()
	}
	p.push(k)
	if p.w.Aside {
		ok = f.keepAhead()
	} else {
		if ok = p.drain(); p.err != nil {
			f.call.Fail(p.err)
		}
		f.lend()
	}
	f.inRoot, f.full = false, !ok
	return ok
}

// lend gives the permit of a shared limiter back while the sequence of roots runs, which may
// wait for one.
func (f *frontier[K]) lend() {
	p := &f.walker
	switch {
	case f.call.Config.Limiter == nil || p.w.InheritsPermit || p.w.Aside:
	case p.mode == serial:
		p.quota = 0
		p.w.Settle() // its chunk ends, also where that takes the permit away
		f.call.StepAside()
	default:
		p.rest()
	}
}

// knownShort reports whether what is known of visits lets the watch wait until the
// walk has taken as long as waking a helper does.
func (f *frontier[K]) knownShort() bool {
	n := smallWalk
	if f.call.History.Steady {
		n = 1
	}
	return f.call.History.Short(n)
}

// checkRoots panics if the sequence of roots has swallowed a panic that began in one of
// them, or goes on after its end.
func (f *frontier[K]) checkRoots() {
	if f.walker.mode == ended {
		panic("sweetspot: Walk: the sequence of roots gave a root after it had returned")
	}
	if f.inRoot {
		panic("sweetspot: Walk: the sequence of roots recovered a panic of its loop's body and went on as if nothing had happened")
	}
}

// keepAhead waits while the helpers have enough roots to visit. It reports false if no
// more are needed.
func (f *frontier[K]) keepAhead() bool {
	c, q := f.call.Call, &f.queue
	for {
		if c.Stopped() || c.Parent().Err() != nil {
			return false
		}
		most := f.rootsAhead()
		if q.size.Load() < most {
			return true
		}
		q.mu.Lock()
		q.low = int(most/2) + 1
		enough := q.len() >= q.low
		q.mu.Unlock()
		if enough {
			q.wait(f.call.Context().Done())
		}
		q.mu.Lock()
		q.low = 0
		q.mu.Unlock()
	}
}

// rootsAhead returns how many roots should wait in the queue.
func (f *frontier[K]) rootsAhead() int64 {
	helpers := int64(max(f.call.Helpers(), 1))
	n := 2 * helpers
	if cost := f.call.Cost(); cost > 0 {
		n = max(n, int64(min(float64(aheadTime)/cost*float64(helpers), aheadMost)))
	}
	return n
}

// await waits until there is work for the caller, and reports false if there will
// be none.
func (f *frontier[K]) await() bool {
	c, q, p := f.call.Call, &f.queue, &f.walker
	ctx := f.call.Context()
	for {
		q.mu.Lock()
		some, over := q.len() > 0, q.over()
		q.mu.Unlock()
		switch {
		case over || c.Stopped():
			return false
		case ctx.Err() != nil:
			c.Cancelled()
			return false
		case some && c.StepBack():
			q.mu.Lock()
			q.active++
			ok := p.take()
			q.mu.Unlock()
			if ok { // else a helper was faster
				p.resume()
				return true
			}
			p.rest()
			continue
		case some:
			f.needHelper() // others have all permits, or one must be waited for
		}
		q.wait(ctx.Done())
	}
}

// remember makes sure that something is known for the next walk, also after one that
// was too short to have a chunk boundary.
func (f *frontier[K]) remember() {
	w := f.walker.w
	switch {
	case w.Sizer.Cost > 0 || f.call.Governed():
	case w.Items > 0:
		w.Account()
	default:
		w.Sizer.Cost = f.call.History.Cost
	}
}
