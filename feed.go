package sweetspot

import (
	"bytes"
	"runtime"
	"sync/atomic"
	"time"
)

// A feed is a crew whose items come one by one from a source that the lead runs.
// Alone it does each item as it comes. When that takes long enough to pay for
// help, it puts the items into a queue for the others. While it does so it holds
// no permit and is not counted, so nobody waits for one who may be waiting for
// the source. When the queue is full it works for the time of half a chunk, or
// waits for room where an item could hold up the source for long.
//
// The queue is first come, first served, also for the lead. So an item may wait
// for an earlier one, as in a loop: that one is done, or is with a worker who can
// only wait for still earlier ones.
type feed[T any] struct {
	hold
	items visitor[T]

	// The lead's.
	index   int64   // items taken from the source; its complement while a callback has not returned to it
	mark    int64   // of the item that ends the chunk; 0 if each item is special
	from    int64   // the index that began it
	share   float64 // of the callback in the time of the loop, smoothed
	whole   pace    // of the loop, source included, while others are fed
	feeding bool    // items go to the queue
	slow    bool    // items are handed over one by one

	// apart says that what comes of the items is taken elsewhere once others are
	// fed, and that there is no way back.
	apart     bool
	soloSince time.Duration // when others were last called in spite of that

	*supply[T] // nil until others are fed: a short call is cheaper without
}

// A supply is what a feed has to feed others.
type supply[T any] struct {
	queue  queue[T]
	batch  []T           // the lead's chunk
	away   atomic.Bool   // the lead works off items, or waits for room for results
	thirst atomic.Bool   // the lead waits until something is claimed
	relief chan struct{} // something was; room for one word
}

// A visitor does items that follow each other, of which the first has that number.
type visitor[T any] interface {
	visit(w *worker, first int, items []T) error
}

const (
	// slowItem is what an item costs that is handed over by itself, and with
	// which the lead does not hold up the source.
	slowItem = chunkTime
	// worthShare is the least share of a loop's time that pays when handed over;
	// below it the source is what takes the time.
	worthShare = 0.25
	// handOver is the least cost of an item that pays when handed over: the lead
	// takes some 20 ns to hand it over.
	handOver = 50 * time.Nanosecond
	// handBack is the same where results are handed back to a loop that runs
	// elsewhere: all in all 0.3 µs and more, on both sides.
	handBack = 2 * time.Microsecond
	// longItem is an item that pays whatever its share: handing it over takes
	// less than a hundredth of it.
	longItem = time.Millisecond
	// batchMost bounds a chunk of items that lie in memory.
	batchMost = 1024
)

// edge ends a chunk of the lead while it is alone, at now. The callback took that
// long for the chunk's last item.
func (e *feed[T]) edge(now, took time.Duration) bool {
	w := &e.lead
	w.n = int(e.index - e.from)
	began, n := w.began, float64(w.n)
	if e.limiter.Load() != nil {
		var ok bool
		if now, ok = w.account(); !ok {
			return false
		}
	} else {
		// The same without another look at the clock.
		w.pace.see(w.n, now-began)
		w.began, w.n, w.bad = now, 0, 0
		if e.stopped.Load() || e.cancelled() {
			return false
		}
	}
	share := min(1, float64(took)*n/float64(max(1, now-began)))
	if e.share > 0 {
		share = (share + e.share) / 2
	}
	e.share = share
	e.chunk()
	if e.pays(now) && (!e.apart || mayPart()) {
		e.gather(w.pace.cost*e.share, now)
	}
	return true
}

// chunk begins a chunk of the lead.
func (e *feed[T]) chunk() {
	e.from = e.index
	e.mark = e.index + int64(max(e.lead.pace.next(chunkMost), e.set.grain)) - 1
}

// pays reports whether help would pay, if there is as much to come as there was.
func (e *feed[T]) pays(now time.Duration) bool {
	if e.set.fixed == 1 || now < sure || float64(now)*e.share < float64(2*wakeCost) {
		return false
	}
	cost := time.Duration(e.lead.pace.cost * e.share)
	least := handOver
	if e.apart {
		least = handBack
	}
	return cost >= longItem || e.share >= worthShare && (cost >= slowItem || cost >= least && runtime.GOMAXPROCS(0) > 1)
}

// gather begins to feed others, if there may be any. An item costs that much, ns.
func (e *feed[T]) gather(cost float64, now time.Duration) {
	w := &e.lead
	e.mu.Lock()
	defer e.mu.Unlock()
	e.slow = cost >= float64(slowItem)
	if e.limiter.Load() == nil && e.bound() < 2 && !(e.set.fixed == 0 && e.slow && now >= governWorth) {
		return
	}
	if e.supply == nil {
		e.supply = &supply[T]{relief: make(chan struct{}, 1)}
		e.backlog = e.queue.len
	}
	e.cost.Store(max(1, int64(cost*1000)))
	e.queue.reset(e.index)
	e.queue.room = int64(max(1, e.chunkOf(cost)))
	e.whole, w.pace = w.pace, pace{cost: cost}
	e.feeding, e.mark = true, 0
	e.company.Store(true) // also if nobody comes: the body may run apart
	if e.limiter.Load() == nil && e.bound() < 2 {
		e.govern()
	}
	e.standDown()
	e.enlist()
}

// chunkOf returns how many items that cost that much, ns, are handed over at a
// time.
func (e *feed[T]) chunkOf(cost float64) int {
	return max(int(min(float64(chunkTime)/cost, batchMost)), e.set.grain, 1)
}

// put hands v to the others. It reports whether the call goes on.
func (e *feed[T]) put(v T) bool {
	for !e.queue.push(v) {
		if !e.makeRoom() {
			return false
		}
	}
	e.index++
	if e.manned.Load() == 0 && !e.slow {
		// Whoever was there has gone for want of items: the source is slower.
		switch {
		case e.apart:
			if e.goSolo() {
				return !e.stopped.Load() && !e.cancelled()
			}
		case e.set.limiter == nil || e.lead.guest:
			if e.standUp() {
				return e.resume()
			}
		}
	}
	if e.slow || e.manned.Load() == 0 {
		e.mu.Lock()
		e.enlist()
		e.mu.Unlock()
	}
	return !e.stopped.Load()
}

// resume does what lies in the queue, and goes on as if nobody had ever been fed.
func (e *feed[T]) resume() bool {
	for e.queue.len() > 0 {
		if !e.workOff(batchMost) {
			return false
		}
	}
	w := &e.lead
	e.feeding = false
	w.pace, w.n = e.whole, 0
	w.began = e.clock()
	e.chunk()
	return true
}

// goSolo does what lies in the queue, where there is no way back to the loop. It
// reports false if it did not: now and then others are given another try.
func (e *feed[T]) goSolo() bool {
	if now := e.clock(); now-e.soloSince >= 4*chunkTime {
		e.soloSince = now
		return false
	}
	if !e.standUp() {
		return false
	}
	for e.queue.len() > 0 && e.workOff(batchMost) {
	}
	e.mu.Lock()
	e.standDown()
	e.mu.Unlock()
	return true
}

// start prepares the lead. One with a permit of a shared Limiter feeds others
// from the beginning, so as not to hold it while the source, or somebody else in
// the loop, may wait for one.
func (e *feed[T]) start() {
	e.mark = int64(max(1, e.set.grain)) - 1
	e.lead.pace.size = 1 // the first chunk
	if e.set.limiter != nil && !e.lead.guest && e.set.fixed != 1 && (!e.apart || mayPart()) {
		e.gather(float64(slowItem), 0)
	}
}

// mayPart reports whether the calling goroutine may leave to others what it was to
// do itself. One that is tied to a thread may be so for the sake of just that. Only a
// trace tells; it takes some microseconds.
func mayPart() bool {
	var header [64]byte
	n := runtime.Stack(header[:], false)
	line, _, _ := bytes.Cut(header[:n], []byte("\n"))
	return !bytes.Contains(line, []byte("locked to thread"))
}

// makeRoom is called when the queue is full. It reports whether the call goes on.
func (e *feed[T]) makeRoom() bool {
	cost := float64(e.cost.Load()) / 1000
	e.slow = cost >= float64(slowItem)
	e.mu.Lock()
	room := int64(max(1, e.size)) * int64(e.chunkOf(cost))
	if !e.slow {
		room *= 2
	}
	grown := room > e.queue.room
	e.queue.room = room
	switch {
	case e.slow && e.set.fixed == 0 && e.limiter.Load() == nil && e.clock() >= governWorth:
		e.govern()
	case e.slow || e.size < e.bound()-1 || e.limiter.Load() != nil:
		e.enlist()
	}
	e.mu.Unlock()
	if grown {
		return true
	}
	if !e.slow && e.standUp() {
		e.away.Store(true)
		ok := e.workOff((e.chunkOf(cost) + 1) / 2)
		e.away.Store(false)
		e.mu.Lock()
		e.standDown()
		e.mu.Unlock()
		return ok && !e.stopped.Load() && !e.cancelled()
	}
	return e.await(e.queue.tail.Load() - room)
}

// workOff does up to k items of the queue. The lead is up.
func (e *feed[T]) workOff(k int) bool {
	w := &e.lead
	items, first := e.queue.claim(e.batch[:0], k, int(e.manned.Load())+1, e.set.grain)
	e.batch = items
	if len(items) == 0 {
		return true
	}
	w.began = e.clock()
	w.n, w.bad = len(items), 0
	e.index = ^e.index
	err := e.items.visit(w, first, items)
	e.index = ^e.index
	clear(items)
	if err != nil {
		e.fail(err)
		return false
	}
	w.pace.see(w.n, e.clock()-w.began)
	return true
}

// await waits until all items up to number n are claimed. It reports whether the
// call goes on.
func (e *feed[T]) await(n int64) bool {
	e.thirst.Store(true)
	if e.queue.head.Load() <= n {
		select {
		case <-e.relief:
		case <-e.ctx.Done():
		}
	}
	e.thirst.Store(false)
	return !e.cancelled() && !e.stopped.Load()
}

// resumed is called when the source gives a value. It panics if that goes on after a
// callback has panicked, or after the call: a loop would panic, too.
func (e *feed[T]) resumed() {
	if e.index < 0 {
		panic("sweetspot: the sequence recovered a panic of its loop's body and went on as if nothing had happened")
	}
	if e.crew == nil || e.unclaimed.Load() == 0 {
		panic("sweetspot: the sequence gave a value after it had returned")
	}
}

// finish is called when the source has ended. It returns when everything has
// been claimed.
func (e *feed[T]) finish() {
	if e.index < 0 {
		panic("sweetspot: the sequence recovered a panic of its loop's body and returned as if nothing had happened")
	}
	if !e.feeding {
		if e.lead.n = int(e.index - e.from); e.limiter.Load() != nil && e.lead.n > 0 {
			e.lead.account()
		}
	}
	for e.supply != nil && e.queue.len() > 0 && !e.stopped.Load() {
		if e.lead.down && !e.standUp() {
			e.await(e.queue.tail.Load() - 1) // until the queue is empty, or less full
			continue
		}
		cost := float64(e.cost.Load()) / 1000
		e.workOff(e.chunkOf(cost))
		e.mu.Lock()
		e.standDown()
		e.mu.Unlock()
	}
	if !e.stopped.Load() {
		e.cancelled() // then the source may have ended early
	}
	e.unclaimed.Store(0)
	e.mark = 0
	e.exhausted()
}
