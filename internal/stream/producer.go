package stream

import (
	"bytes"
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/call"
)

// A Producer is the part of a job whose items come one by one from a source that the
// caller runs. The rest of the job embeds it.
//
// Alone the caller does each item as it comes. When that takes long enough to pay for
// help, it puts the items into a queue for helpers. While it does so it holds
// no permit and is not counted, so nobody waits for a caller that may itself wait for
// the source. When the queue is full it works for the time of half a chunk, or
// waits for room where an item could hold up the source for long.
//
// The queue is first come, first served, also for the caller. So an item may wait
// for an earlier one, as in a loop: that one is done, or is with a worker that can
// only wait for still earlier ones.
type Producer[T any] struct {
	call.Handle
	Items Visitor[T]

	// Apart says that the results of the items are consumed by another goroutine once
	// there are helpers, and that there is no way back.
	Apart bool

	// The caller's. An item is plain while Index is below Mark: then the job calls its
	// callback and does nothing else.
	Index     int64      // items taken from the source; its complement while a callback has not returned to it
	Mark      int64      // of the item that ends the chunk; 0 if each item is special
	Producing bool       // items go to the queue
	From      int64      // the Index that began the chunk
	share     float64    // of the callback in the time of the loop, smoothed
	whole     call.Sizer // of the loop, source included, while there are helpers
	slow      bool       // items are handed over one by one
	soloSince time.Duration

	*supply[T] // nil until there are helpers: a short call is cheaper without
}

// A supply is what a Producer has for its helpers.
type supply[T any] struct {
	queue queue[T]
	batch []T         // the caller's chunk
	away  atomic.Bool // the caller works off items, or waits for room for results
	full  atomic.Bool // the caller waits until something is claimed
	room  chan struct{}
}

// A Visitor does items that follow each other, of which the first has that number.
type Visitor[T any] interface {
	Visit(w *call.Worker, first int, items []T) error
}

const (
	// slowItem is what an item costs that is handed over by itself, and with
	// which the caller does not hold up the source.
	slowItem = call.ChunkTime
	// worthShare is the least share of a loop's time that pays when handed over;
	// below it the source is what takes the time.
	worthShare = 0.25
	// handOver is the least cost of an item that pays when handed over: the caller
	// takes some 20 ns to hand it over.
	handOver = 50 * time.Nanosecond
	// handBack is the same where results are handed back to a loop that runs
	// elsewhere: all in all 0.3 µs and more, on both sides.
	handBack = 2 * time.Microsecond
	// longItem is an item that pays whatever its share: handing it over takes
	// less than a hundredth of it.
	longItem = time.Millisecond
)

// Do does the job j, of which p is a part.
func (p *Producer[T]) Do(ctx context.Context, j call.Job) error {
	if err := p.Begin(ctx, j, call.Unknown); err != nil {
		return err
	}
	p.Unclaimed.Store(1) // there may be more, until the source has ended
	return p.Run()
}

// Left returns how many items lie ready.
func (p *Producer[T]) Left() int64 {
	if p.supply == nil {
		return p.Unclaimed.Load()
	}
	return p.queue.len()
}

// Owns reports false: what a worker has claimed it does.
func (p *Producer[T]) Owns(*call.Worker) bool { return false }

// Again reports false: the caller leaves when all items have been claimed.
func (p *Producer[T]) Again() bool { return false }

// Progress and Outlook are not asked for: the caller looks after its helpers itself.
func (p *Producer[T]) Progress() int64            { return 0 }
func (p *Producer[T]) Outlook(bool) time.Duration { return 0 }

// Start prepares the caller. One with a permit of a shared limiter hands its items over
// from the beginning, so as not to hold it while the source, or the body of the
// loop, may wait for one.
func (p *Producer[T]) Start() {
	cfg := p.Config
	p.Mark = int64(max(1, p.least())) - 1
	p.Caller.Sizer.Size = 1 // the first chunk
	if cfg.Limiter != nil && !p.Caller.InheritsPermit && cfg.Fixed != 1 && (!p.Apart || mayPart()) {
		p.handOver(float64(slowItem), 0)
	}
}

// mayPart reports whether another goroutine may run the body of the loop. A goroutine that
// is locked to its thread may be so for the sake of just that.
//
// The body cannot stay with the caller, who is inside the source: a source may wait for
// what the body does with earlier values, and one that blocks would hold up results. Nor
// can the source leave: it could only run in a coroutine (iter.Pull) from the beginning,
// at 120 ns for each value where a plain loop takes 2.
func mayPart() bool { return tracesTell() && !tracedLocked() }

// tracedLocked reports whether a stack trace calls this goroutine locked to its thread. Go
// has no other way to find that out; it takes some 2 µs, once in a loop that gets helpers.
func tracedLocked() bool {
	var header [64]byte
	n := runtime.Stack(header[:], false)
	line, _, _ := bytes.Cut(header[:n], []byte("\n"))
	return bytes.Contains(line, []byte("locked to thread"))
}

// tracesTell tries tracedLocked once, on a goroutine that locks itself. No promise of Go
// covers the text of a trace: where it has changed, bodies stay with their callers.
var tracesTell = sync.OnceValue(func() bool {
	tell := make(chan bool)
	go func() {
		before := tracedLocked()
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		tell <- !before && tracedLocked()
	}()
	return <-tell
})

// Boundary ends a chunk of the caller while it is alone, at now. The callback took that
// long for the chunk's last item.
func (p *Producer[T]) Boundary(now, took time.Duration) bool {
	w := &p.Caller
	w.Items = int(p.Index - p.From)
	p.From = p.Index // counted, also where the call ends here
	began, n := w.Began, float64(w.Items)
	var ok bool
	if p.Governed() {
		now, ok = w.Account()
	} else {
		ok = w.AccountAlone(now)
	}
	if !ok {
		return false
	}
	share := min(1, float64(took)*n/float64(max(1, now-began)))
	if p.share > 0 {
		share = (share + p.share) / 2
	}
	p.share = share
	p.chunk()
	if p.pays(now) && (!p.Apart || mayPart()) {
		p.handOver(w.Sizer.Cost*p.share, now)
	}
	return true
}

func (p *Producer[T]) chunk() {
	p.From = p.Index
	p.Mark = p.Index + int64(max(p.Caller.Sizer.Next(call.ChunkMost), p.least())) - 1
}

// pays reports whether help would pay, if there is as much to come as there was.
func (p *Producer[T]) pays(now time.Duration) bool {
	if p.Config.Fixed == 1 || now < call.Sure || float64(now)*p.share < float64(2*call.WakeCost) {
		return false
	}
	cost := time.Duration(p.Caller.Sizer.Cost * p.share)
	least := handOver
	if p.Apart {
		least = handBack
	}
	return cost >= longItem || p.share >= worthShare && (cost >= slowItem || cost >= least && runtime.GOMAXPROCS(0) > 1)
}

// handOver begins to produce for helpers, if there may be any. An item costs that much, ns.
func (p *Producer[T]) handOver(cost float64, now time.Duration) {
	p.slow = cost >= float64(slowItem)
	if !p.MayHelp(p.slow && now >= call.GovernWorth) {
		return
	}
	if p.supply == nil {
		p.supply = &supply[T]{room: make(chan struct{}, 1)}
	}
	p.SetCost(cost)
	p.queue.reset(p.Index)
	p.queue.room = int64(p.chunkOf(cost))
	w := &p.Caller
	p.whole, w.Sizer = w.Sizer, call.Sizer{Cost: cost}
	p.Producing, p.Mark = true, 0
	p.HandOver()
}

// least returns how many items are handed over at a time at least. What lies ready takes room, so that is bounded.
func (p *Producer[T]) least() int { return min(p.Config.MinChunk, leastMost) }

const leastMost = 1 << 16

// chunkOf returns how many items that cost that much, ns, are handed over at a
// time.
func (p *Producer[T]) chunkOf(cost float64) int {
	return max(int(min(float64(call.ChunkTime)/cost, call.BatchMost)), p.least(), 1)
}

// Resumed is called when the source gives an item. It panics if that goes on after a
// callback has panicked, or after the call: a loop would panic, too.
func (p *Producer[T]) Resumed() {
	if p.Index < 0 {
		panic("sweetspot: the sequence recovered a panic of its loop's body and went on as if nothing had happened")
	}
	if p.Over() || p.Unclaimed.Load() == 0 {
		panic("sweetspot: the sequence gave a value after it had returned")
	}
}
