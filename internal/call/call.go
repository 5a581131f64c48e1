package call

import (
	"context"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/loop"
	"github.com/sweetspot-go/sweetspot/internal/panics"
)

// A Call is the goroutines of one parallel call: its caller, and helpers that start one
// by one when what has been measured says that the work left pays for them.
//
// How many work at a time is decided in three stages, each of which starts only
// if the call lasts that long:
//
//   - alone: the caller works, with no goroutine, no lock and no timer;
//   - up to GOMAXPROCS (or Config.Fixed): a helper starts where the work left is
//     worth a thread that wakes up. Work that computes needs no more;
//   - governed (see govern): a limiter takes over, whose controller measures whether
//     more, or fewer, do more work. Work that waits gets its goroutines here.
type Call struct {
	ctx      *Context      // given to the callbacks
	start    time.Duration // since the epoch
	job      Job
	Config   *Config
	deadline time.Duration // of the caller's context, by Clock; 0 if there is none
	History  History       // of earlier calls of the same function
	Caller   Worker

	// Unclaimed is the number of items that no worker has claimed. The job counts them,
	// and sets 0 when nothing will come any more.
	Unclaimed atomic.Int64

	// Read at each chunk boundary. They are not kept apart in memory: a boundary comes
	// once in some 64 µs, and a smaller object makes short calls cheaper.
	stopped atomic.Bool
	limiter atomic.Pointer[loop.Loop] // whose permits the workers hold, or nil
	shift   time.Duration             // from the limiter's clock to start; set before limiter
	full    atomic.Bool               // the limit is reached: no more helpers until one leaves
	company atomic.Bool               // there is, or was, a helper, a watch or a limiter
	cost    atomic.Int64              // of an item, ps; 0 while unknown

	mu         sync.Mutex
	size       int          // at work, or about to be
	most       int          // bound of size until a limiter decides; 0 before it was read
	helpersDue atomic.Int32 // helpers, and the waiter unless it may wait for the caller itself; written with mu held
	watched    atomic.Bool  // the watch is set
	stalled    bool         // the watch has seen no progress at some look
	stream     bool         // items come one by one: how many is not known
	shut       bool         // the caller has left: nobody joins from outside any more
	err        error
	failure    panics.Failure // of a callback
	*crew                     // nil while the caller is alone
}

// A Job is the work of a call, and what it says of the work that is left.
type Job interface {
	// Work does w's part: it claims chunks until there are none or w must leave.
	Work(w *Worker) error
	// Left returns how many items a worker would find that joins now.
	Left() int64
	// Owns reports whether w, which leaves, has items that others may take.
	Owns(w *Worker) bool
	// Again reports whether the caller is to work once more, when all have left.
	Again() bool

	// Progress returns a number that changes with each chunk, for the watch.
	Progress() int64
	// Outlook returns for how long the workers are busy with what is left, or 0 if more
	// of them would not be done sooner. Where stalled is true, all of them are inside
	// long items. The call is locked.
	Outlook(stalled bool) time.Duration
}

// Unknown is the number of items of a call whose items come one by one.
const Unknown = -1

// A Config says how a call runs.
type Config struct {
	Fixed    int        // goroutines at most, 0 if their number is found by measuring
	Limiter  *loop.Loop // shared, or nil
	MinChunk int        // least number of items to claim at a time, 0 if none was given
	Weighed  bool       // each callback is called by Context.Weighed
	Wrap     panics.Wrap
}

// A Worker is one goroutine of a call. Only its Range and Base are touched by others, and
// its Bodies by a body that kept its range.
type Worker struct {
	call     *Call
	IsCaller bool
	Aside    bool // the caller, while it does not work but produces items for the others

	InheritsPermit bool // it works under a permit that an outer call holds
	sawLimiter     bool // it knows of the limiter
	// hasPermit says that it holds a permit. A worker that has not seen the
	// limiter has one as well if there is a limiter: govern took one for each worker.
	hasPermit   atomic.Bool
	permitSince time.Duration

	Sizer      Sizer
	Began      time.Duration // when its chunk began
	Items      int           // in its chunk, 0 while it has none
	ignored    int           // of those, failed
	overloaded int           // and reported overload
	Done       int           // items in all chunks

	at     int       // in Call.workers, or nowhere; guarded by Call.mu
	Gone   bool      // it has left; guarded by Call.mu
	next   *Worker   // in Call.rested or Call.parked, guarded by Call.mu, or in Call.due
	wakeup chan bool // to a parked helper: come again, or end; nil before it has parked
	park   bool      // wait for that; the helper's own

	Range  atomic.Uint64 // the job's: what it owns of the items (see package ranges)
	Base   int           // the job's: the item at which Range counts 0; others read it with Call.mu held
	Bodies atomic.Uint32 // the job's: bodies of it that have returned
}

const nowhere = -1

// epoch is when clocks begin.
var epoch = time.Now()

// Clock returns the time since the call began.
func (c *Call) Clock() time.Duration { return time.Since(epoch) - c.start }

// Parent returns the context that the call was given.
func (c *Call) Parent() context.Context { return c.ctx.Context }

// Cost returns what an item costs, ns, or 0 while that is unknown.
func (c *Call) Cost() float64 { return float64(c.cost.Load()) / 1000 }

// SetCost takes note of what an item costs, ns.
func (c *Call) SetCost(ns float64) { c.cost.Store(int64(math.Ceil(ns * 1000))) }

// Stopped reports whether the workers are to leave.
func (c *Call) Stopped() bool { return c.stopped.Load() }

// Alone reports whether the caller has never had anybody or anything beside it.
func (c *Call) Alone() bool { return !c.company.Load() }

// Governed reports whether a limiter decides how many work.
func (c *Call) Governed() bool { return c.limiter.Load() != nil }

// Watched reports whether the watch is set.
func (c *Call) Watched() bool { return c.watched.Load() }

// Full reports whether the limit is reached, so that Spawn starts nobody.
func (c *Call) Full() bool { return c.full.Load() }

// Helpers returns how many helpers there are or are about to come.
func (c *Call) Helpers() int { return int(c.helpersDue.Load()) }

// Accompanied reports whether there are helpers at work.
func (c *Call) Accompanied() bool {
	if c.Alone() {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.size > 1
}

// Lock returns the workers that may own items. None joins or leaves before Unlock.
func (c *Call) Lock() []*Worker {
	c.mu.Lock()
	if c.crew == nil {
		return nil
	}
	return c.workers
}

// Unlock is due after Lock.
func (c *Call) Unlock() { c.mu.Unlock() }
