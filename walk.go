package sweetspot

import (
	"context"
	"hash/maphash"
	"iter"
	"reflect"
	"runtime"
	"sync"
	"time"
)

// Walk calls visit once for each distinct key that can be reached from roots:
// visit tells of the keys next to k by push. It is what remains of a crawler, of
// a build that follows imports, or of the mark phase of a garbage collector when
// the queue, the set of keys seen and the goroutines are taken away.
//
// It is undefined in which order keys are visited; a key pushed by several
// visits is visited because of any of them. Two keys are the same if they are
// the same to a map: a key that differs from itself, such as NaN, is visited
// each time it is pushed, and push panics as a map does for an interface that
// holds what cannot be compared.
//
// push is valid until visit returns, for one goroutine at a time. It never
// blocks, and it keeps its promise also if visit fails afterwards. What it is
// given may be visited at once by others; at the latest it is when visit has
// returned.
//
// If visit returns an error, Walk hands out no more keys, cancels the ctx of the
// visits that run, waits for them, and returns the first error in time, as a
// [*KeyError]. With [JoinErrors] it goes on and returns all errors, joined in no
// particular order. If ctx is done while there are keys or roots left, Walk
// returns [context.Cause] of ctx; if it is done from the beginning, nothing is
// called. If visit or roots panic, Walk panics with a [*PanicError] once the
// visits that run have ended; if they call [runtime.Goexit], so does Walk.
// Nothing runs after Walk has returned.
//
// The caller's goroutine ranges over roots, and visits as well. Alone it takes
// the next root when nothing else is left; with others beside it, it hands roots
// out while it waits for the next, as far ahead as keeps them busy for about a
// millisecond. So roots may be long, slow, or depend on what visits do. Walk
// waits for roots: it cannot interrupt a sequence that blocks.
//
// How many goroutines visit is found as for [Map]. A small Walk is a depth-first
// one in the goroutine of the caller. As nobody knows what is behind a key, Walk
// expects as much work as there has been so far: others join when it has taken
// some 0.4 ms and there is something to share, and stay away for growing times
// where they found little, as in a chain. A [Fixed] number or a [*Limiter]
// bounds them; when a limit falls, surplus goroutines leave after the keys that
// they have begun.
//
// [SizeHint] saves growing the set, a third of the time of a Walk whose visits
// cost nothing. Walk keeps every key until it returns, in up to three places for
// each, of its size and a byte, and allocates per growth, not per key. Alone, a key
// costs some 20 to 50 ns beside its visit, a good half of what it costs with a map.
func Walk[K comparable](ctx context.Context, roots iter.Seq[K], visit func(ctx context.Context, k K, push func(K)) error, opts ...Option) error {
	switch {
	case roots == nil:
		panic("sweetspot: Walk: the sequence of roots is nil")
	case visit == nil:
		panic("sweetspot: Walk: the function is nil")
	}
	v := &walk[K]{roots: roots, visit: visit, seed: maphash.MakeSeed()}
	v.engage("Walk", reflect.ValueOf(visit).Pointer(), opts)
	return v.errs.join(v.do(ctx))
}

// A walk is the job of a Walk. It is in one of two states:
//
//   - solo: one walker, the soloist, has the set of visited keys for itself, and
//     no key is anywhere but in its inbox or on its stack. So it begins, and to
//     that it returns where company did not pay.
//   - shared: the set is locked shard by shard; walkers give what they have too
//     much of to a common pool, from which those take who have nothing.
//
// A key enters the set before it is visited, and from there it is in exactly one
// place: a stack, the pool, or a visit. The walk is over when the roots are, the
// pool is empty and nobody is busy.
type walk[K comparable] struct {
	hold
	roots iter.Seq[K]
	visit func(context.Context, K, func(K)) error
	seed  maphash.Seed
	errs  keyErrors
	first walker[K] // the lead's

	// The lead's.
	inRoot bool        // roots wait for what becomes of one
	full   bool        // no more roots are taken
	known  int         // of few, the keys visited, as long as they are so few
	small  *visited[K] // instead, once they are more
	large  *sharded[K] // instead, once the walk has been shared

	gate   sync.Mutex
	change chan struct{} // room for one word that the lead, who waits, should look again
	pool   []K           // from head on, oldest first; crew.unclaimed is their number unless solo
	head   int
	low    int // at fewer keys in the pool the lead wants to know, 0 if never
	busy   int // walkers that have keys, or may have
	solo   bool
	rooted bool          // there are no more roots
	opened time.Duration // when the newest solo ended
	failed int           // times in a row that sharing did not pay
	spare  []*outboxes[K]

	// Space for the first keys. The fewer bytes a small walk allocates, the sooner
	// it is done.
	few   [smallWalk]K
	stack [smallWalk]K
}

const (
	// aheadTime is how much work for each helper, made of roots, waits in the
	// pool: some ten times what it takes to wake the lead, who adds to it.
	aheadTime = time.Millisecond
	// aheadMost bounds the number of these roots.
	aheadMost = 1 << 14
)

func (v *walk[K]) do(ctx context.Context) error {
	v.grows = true
	v.solo, v.busy = true, 1
	if err := v.begin(ctx, v, 1); err != nil {
		return err
	}
	v.unclaimed.Store(0)
	p := &v.first
	p.v, p.w, p.mode, p.keys = v, &v.lead, alone, v.stack[:0]
	p.pushed = p.push
	v.foreseeWaits()
	return v.run()
}

// foreseeWaits puts a Limiter over a walk whose law went beyond the CPUs in the
// last ones, and shares its keys from the first on: its visits wait. Otherwise one
// after the other would wait until the watch has looked.
func (v *walk[K]) foreseeWaits() {
	r := &v.recall
	if v.limiter.Load() != nil || v.set.fixed > 0 || !r.steady || r.cost < float64(firstLook) || r.limit <= runtime.GOMAXPROCS(0) {
		return
	}
	v.lead.pace.cost = r.cost
	v.cost.Store(int64(r.cost * 1000)) // else the first helper takes all there is
	v.wanted.Store(true)
	v.company.Store(true)
	v.mu.Lock()
	v.govern()
	v.mu.Unlock()
}

func (v *walk[K]) work(w *worker) error {
	if w.leads {
		return v.guide(&v.first)
	}
	return v.help(w)
}

// guide is the work of the lead.
func (v *walk[K]) guide(p *walker[K]) error {
	clean := false
	defer func() {
		p.mode = over
		if !clean {
			v.stopped.Store(true)
		}
	}()
	v.roots(func(k K) bool { return v.root(k) })
	v.resumed()
	ok := !v.full
	clean = true
	switch ctx := v.ctx.Context; {
	case p.err != nil:
		return p.err
	case !ok && ctx.Err() != nil:
		return context.Cause(ctx)
	case !ok || p.mode == alone:
		p.guess()
		return nil
	}
	v.gate.Lock()
	v.rooted = true
	v.gate.Unlock()
	for {
		if !v.lead.down {
			if !p.drain() {
				return p.err
			}
			p.rest()
		}
		if !p.await() {
			v.exhausted()
			return nil
		}
	}
}

// root takes a root, and reports whether to go on. A range over the roots would
// allocate twice.
func (v *walk[K]) root(k K) (ok bool) {
	if v.resumed(); v.full {
		return false
	}
	if !v.watch.set.Load() && !v.foreseenShort() {
		v.look()
	}
	v.inRoot = true
	p := &v.first
	if v.lead.down {
		ok = p.fed(k)
	} else {
		p.push(k)
		ok = p.drain()
	}
	v.inRoot, v.full = false, !ok
	return ok
}

// foreseenShort reports whether what is known of visits lets the watch wait until the
// walk has taken as long as waking somebody does.
func (v *walk[K]) foreseenShort() bool {
	n := smallWalk
	if v.recall.steady {
		n = 1
	}
	return v.recall.short(n)
}

// resumed panics if roots have swallowed a panic that began in one of them, or go on
// after the end.
func (v *walk[K]) resumed() {
	if v.first.mode == over {
		panic("sweetspot: Walk: the sequence of roots gave a root after it had returned")
	}
	if v.inRoot {
		panic("sweetspot: Walk: the sequence of roots recovered a panic of its loop's body and went on as if nothing had happened")
	}
}

// fed is given a root while others do the visits. It waits while they have
// enough, and reports whether to go on.
func (p *walker[K]) fed(k K) bool {
	v := p.v
	p.push(k)
	for {
		if v.stopped.Load() || v.ctx.Context.Err() != nil {
			return false
		}
		most := int64(2 * max(v.manned.Load(), 1))
		if n := v.unclaimed.Load(); n < most {
			return true
		} else if cost := v.cost.Load(); cost > 0 {
			most = max(most, min(int64(aheadTime/time.Nanosecond)*1000/cost*most/2, aheadMost))
			if n < most {
				return true
			}
		}
		v.gate.Lock()
		v.low = int(most/2) + 1
		enough := len(v.pool)-v.head >= v.low
		v.gate.Unlock()
		if enough {
			p.wait()
		}
		v.gate.Lock()
		v.low = 0
		v.gate.Unlock()
	}
}

// wait waits for a word that something has changed, or for the end of ctx.
func (p *walker[K]) wait() {
	select {
	case <-p.v.change:
	case <-p.v.ctx.Done():
	}
}

// changed gives that word. v.gate is held.
func (v *walk[K]) changed() {
	select {
	case v.change <- struct{}{}:
	default: // there is one, or nobody to wait for it yet
	}
}

// rest makes the lead wait, or feed others. It leaves them all it has.
func (p *walker[K]) rest() {
	v := p.v
	p.giveAll()
	p.mode = eager
	v.gate.Lock()
	if v.change == nil {
		v.change = make(chan struct{}, 1)
	}
	v.busy--
	v.gate.Unlock()
	v.mu.Lock()
	v.standDown()
	v.mu.Unlock()
	if v.unclaimed.Load() > 0 {
		v.man()
	}
}

// await waits until there is work for the lead, and reports false if there will
// be none.
func (p *walker[K]) await() bool {
	v := p.v
	for {
		v.gate.Lock()
		some, over := len(v.pool) > v.head, v.busy == 0 && len(v.pool) == v.head
		v.gate.Unlock()
		switch {
		case over || v.stopped.Load():
			return false
		case v.ctx.Err() != nil:
			v.cancelled()
			return false
		case some && v.standUp():
			p.w.began = v.clock()
			p.w.since = p.w.began
			v.gate.Lock()
			v.busy++
			ok := p.take()
			v.gate.Unlock()
			if ok {
				p.resume()
				return true
			}
			p.rest()
			continue
		case some:
			v.man() // all places are taken, or a permit must be waited for
		}
		p.wait()
	}
}

// man calls for a helper at once if nobody is there.
func (v *walk[K]) man() {
	if v.manned.Load() == 0 {
		v.mu.Lock()
		v.enlist()
		v.mu.Unlock()
	}
}

// open ends the solo of p.
func (v *walk[K]) open(p *walker[K]) {
	p.admit()
	if v.large == nil {
		if v.small == nil {
			v.outgrow()
		}
		v.large = newSharded(v.small, v.set.size)
		v.small = nil
	}
	v.cost.Store(int64(p.w.pace.cost * 1000))
	v.gate.Lock()
	v.solo = false
	v.opened = p.w.began
	v.unclaimed.Store(0)
	v.gate.Unlock()
}
