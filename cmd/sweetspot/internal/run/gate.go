package run

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/sense"
)

// A gate holds jobs back that have a permit, for as long as the machine or the
// clock does not allow another start.
type gate struct {
	delay   time.Duration // between two starts
	memory  float64       // bytes that must be free; 0: any
	load    float64       // processes that may want a CPU or the disk, fewer than this; 0: any
	running func() int    // jobs of ours
	say     func(string)

	// admits says whether the memory holds one more job beside so many that are let
	// through and do not run yet; nil: any.
	admits func(starting int) (ok bool, why string)
	end    chan struct{} // a job has ended
	turn   chan struct{} // held by the first of the jobs that wait to be tried again

	freeMemory func() (free, total float64, ok bool)
	wanting    func() (processes int, err error)

	mu      sync.Mutex
	due     time.Time    // of the next start
	idle    time.Time    // since when nothing has run while it was closed; zero: something has
	said    bool         // that it is closed, since it last let one through
	passing atomic.Int64 // let through, and not started yet: not in the load
	held    atomic.Int64 // ns for which jobs waited for memory that others may need
}

const (
	// gateEvery is how often a closed gate is tried again: memory and load come
	// back when a job ends, which is rarely a matter of less.
	gateEvery = 50 * time.Millisecond
	// admitsEvery is the same for memory that the jobs may need: they stop growing soon.
	admitsEvery = 20 * time.Millisecond
	// sayAfter is how long a gate that holds up everything is closed until it
	// says so. Shorter waits are how it works.
	sayAfter = 2 * time.Second
)

// newGate returns the gate that the flags and admits want. It fails if the flags want
// what is never there, or what this system does not tell.
func newGate(o *limitOptions, cpus float64, running func() int, admits func(int) (bool, string), say func(string)) (*gate, error) {
	g := &gate{
		delay: time.Duration(o.delay), memory: float64(o.memory), running: running, say: say,
		admits: admits, end: make(chan struct{}, 1), turn: make(chan struct{}, 1),
		freeMemory: sense.FreeMemory, wanting: wantingProcesses,
	}
	if o.load.text != "" {
		n, _ := o.load.limit(cpus)
		g.load = float64(n)
	}
	if g.memory > 0 {
		_, total, ok := g.freeMemory()
		switch {
		case !ok:
			return nil, fmt.Errorf("--memfree: this system does not tell how much memory is free")
		case g.memory > total:
			return nil, fmt.Errorf("--memfree %s: there are %s in total, so no job would ever start", o.memory, bytesText(total))
		}
	}
	if g.load > 0 {
		if _, err := g.wanting(); err != nil {
			return nil, fmt.Errorf("--load: %w", err)
		}
	}
	return g, nil
}

// notYet is why a gate is closed that only waits for --delay.
const notYet = "the delay has not passed"

// closed returns why no job may start now, or "", and when to look again. Who
// passes has to start a job and to call started.
func (g *gate) closed(pass bool) (why string, again time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if wait := time.Until(g.due); wait > 0 {
		return notYet, wait
	}
	if g.memory > 0 {
		if free, _, ok := g.freeMemory(); ok && free < g.memory {
			return fmt.Sprintf("%s of memory are free, and --memfree wants %s", bytesText(free), bytesText(g.memory)), gateEvery
		}
	}
	if g.load > 0 {
		if n, err := g.wanting(); err == nil && float64(n)+float64(g.passing.Load()) >= g.load {
			return fmt.Sprintf("the load is %d, and --load wants it below %g", n, g.load), gateEvery
		}
	}
	if g.admits != nil {
		// The first job is for the kernel to judge: without one, nothing would ever be known.
		if starting := int(g.passing.Load()); starting+g.running() > 0 {
			if ok, why := g.admits(starting); !ok {
				return why, admitsEvery
			}
		}
	}
	if pass {
		g.due = time.Now().Add(g.delay)
		g.passing.Add(1)
		g.idle, g.said = time.Time{}, false
	}
	return "", 0
}

// begin waits for a permit and an open gate at once, and returns the cause of
// ctx if that ends first. While the gate is closed it holds no permit: others
// would count it as a job.
func (g *gate) begin(ctx context.Context, l *sweetspot.Limiter) (sweetspot.Unit, error) {
	for {
		why, again := g.closed(false)
		if why == "" {
			u, err := l.Begin(ctx)
			if err != nil {
				return sweetspot.Unit{}, err
			}
			if why, again = g.closed(true); why == "" {
				return u, nil
			}
			u.End(sweetspot.Ignored, 1) // it has closed meanwhile
		}
		began := time.Now()
		if err := g.wait(ctx, why, again); err != nil {
			return sweetspot.Unit{}, err
		}
		if again == admitsEvery {
			g.held.Add(int64(time.Since(began)))
		}
	}
}

// retry waits for an open gate with a permit in hand, for a job that runs again, and
// returns the cause of ctx if that ends first.
//
// The job keeps its permit and its slot. If it gave them back, each opening of the gate
// could let a new job in that fails as well, so that jobs that wait would pile up, and
// slots would have higher numbers than jobs may run. Keeping them blocks nobody for good:
// what opens the gate is the clock, the machine or the end of a job that runs, none of
// which needs a permit, and with no job running the gate is as closed to a new one.
//
// One job looks for all, in the order in which they came: there may be thousands.
func (g *gate) retry(ctx context.Context) error {
	select {
	case g.turn <- struct{}{}:
		defer func() { <-g.turn }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	for {
		why, again := g.closed(true)
		if why == "" {
			return nil
		}
		if err := g.wait(ctx, why, again); err != nil {
			return err
		}
	}
}

// wait waits until a gate that is closed for a reason is to be tried again.
func (g *gate) wait(ctx context.Context, why string, again time.Duration) error {
	g.complain(why)
	select {
	case <-time.After(again):
	case <-g.end:
	case <-ctx.Done():
	}
	return context.Cause(ctx)
}

// complain says why the gate is closed, once it has held up everything for a while.
func (g *gate) complain(why string) {
	g.mu.Lock()
	late := false
	switch {
	case g.running() > 0 || why == notYet:
		g.idle = time.Time{}
	case g.idle.IsZero():
		g.idle = time.Now()
	case !g.said && time.Since(g.idle) > sayAfter:
		g.said, late = true, true
	}
	g.mu.Unlock()
	if late {
		g.say("waiting to start a job: " + why)
	}
}

// heldFor returns for how long jobs have waited so far for memory that others may need.
func (g *gate) heldFor() time.Duration { return time.Duration(g.held.Load()) }

// started says that a job which the gate let through runs now, or never will.
func (g *gate) started() { g.passing.Add(-1) }

// ended says that a job has ended, which may open the gate.
func (g *gate) ended() {
	select {
	case g.end <- struct{}{}:
	default:
	}
}
