// Package schedule runs a few goroutines one step at a time, in every order. A step is
// one operation on memory that they share: on a [Uint64], a [Pointer], a [Mutex] or a
// channel. What a goroutine does between two steps nobody else can see, unless the race
// detector has something to say about it, so all orders of steps are all that can happen.
//
// Each goroutine is a coroutine, and the whole is deterministic: a schedule is a list of
// choices, and is run anew to try another last choice. A state that was reached before is
// not gone on from again. Two states are the same if the shared values are, what mutexes
// guard, and what each goroutine has read in its steps since it last had no variables
// (see [Forget]): then it is at the same place, with the same variables. A goroutine that locks
// a mutex reads all that it guards.
package schedule

import (
	"errors"
	"fmt"
	"iter"
	"slices"
)

// A thread is one goroutine under control.
type thread struct {
	next    func() (struct{}, bool) // takes a step, up to the announcement of the next one
	stop    func()
	yield   func(struct{}) bool
	ways    []func() bool   // the ways to take the announced step: which are open
	chosen  int             // of ways
	parks   bool            // the announced step waits for somebody else
	joined  bool            // the next step is taken together with the last one
	read    uint64          // hash of all that it has read
	chans   []chan struct{} // that it has made
	ended   bool
	dropped bool
}

// A run is one execution.
type run struct {
	threads []*thread
	current *thread
	program Program
	shared  []interface{ state() uint64 }
	failure error
}

// now is the run under way, or nil. There is one at a time.
var now *run

// dropped is what a goroutine panics with whose run is not gone on with.
var dropped = new(int)

// ended is what a goroutine has read that has ended: unlike one that has not begun.
const ended = ^uint64(0)

// A Program is what is run in every order.
type Program struct {
	Threads []func()
	Parked  func(thread int) // a goroutine is about to wait in a channel
	Guarded func() uint64    // hash of what mutexes guard
	Past    func() uint64    // hash of what End will look at, and of all else that is shared
	End     func() error     // checks an execution when all have ended
}

// A choice is which of the threads takes its step, and which way.
type choice struct{ thread, way uint8 }

// Stats says how much was explored.
type Stats struct{ States, Steps int }

// longest is how many steps an execution may have. Small programs have less than half; one
// that has more goes round in circles.
const longest = 250

// Explore runs the program that begin returns, with a new state each time, in every
// order of its steps. It returns the first failure: of End, a panic, or that nobody can
// go on although not all have ended. Objects that are shared must be made in begin.
func Explore(begin func() Program) (Stats, error) {
	var stats Stats
	seen := map[uint64]struct{}{}
	for todo := [][]choice{nil}; len(todo) > 0; {
		path := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		replay := len(path)
		r := &run{}
		now = r
		r.program = begin()
		r.start()
		for at := 0; r.failure == nil; at++ {
			if at < replay {
				r.take(path[at])
				continue
			}
			state := r.state()
			if _, ok := seen[state]; ok {
				break
			}
			seen[state] = struct{}{}
			if at > longest {
				r.failure = errors.New("livelock")
				break
			}
			open := r.open()
			if len(open) == 0 {
				r.end()
				break
			}
			for _, c := range open[1:] {
				todo = append(todo, append(slices.Clone(path), c))
			}
			path = append(path, open[0])
			r.take(open[0])
			stats.Steps++
		}
		r.drop()
		now = nil
		if r.failure != nil {
			return stats, fmt.Errorf("%w\nin the schedule (thread.way) %v", r.failure, path)
		}
	}
	stats.States = len(seen)
	return stats, nil
}

// start has each thread announce its first step.
func (r *run) start() {
	for _, f := range r.program.Threads {
		t := &thread{}
		r.threads = append(r.threads, t)
		t.next, t.stop = iter.Pull(func(yield func(struct{}) bool) {
			t.yield = yield
			defer func() {
				t.ended, t.read = true, ended
				if v := recover(); v != nil && v != dropped {
					r.failure = fmt.Errorf("panic: %v", v)
				}
			}()
			step()
			f()
		})
		r.resume(t)
	}
}

func (r *run) resume(t *thread) {
	r.current = t
	t.next()
	r.current = nil
}

func (r *run) open() (open []choice) {
	for i, t := range r.threads {
		for way, isOpen := range t.ways {
			if !t.ended && isOpen() {
				open = append(open, choice{uint8(i), uint8(way)})
			}
		}
	}
	return open
}

func (r *run) take(c choice) {
	t := r.threads[c.thread]
	t.chosen = int(c.way)
	r.resume(t)
	if t.parks && !t.ended {
		r.program.Parked(int(c.thread))
	}
}

// end checks an execution in which nobody can go on.
func (r *run) end() {
	for i, t := range r.threads {
		if !t.ended {
			r.failure = fmt.Errorf("deadlock: thread %d, and nobody can go on", i)
			return
		}
	}
	now = nil // what End does is not a step
	r.failure = r.program.End()
}

// drop ends the goroutines that have not ended.
func (r *run) drop() {
	for _, t := range r.threads {
		t.dropped = true
		t.stop()
	}
}

func (r *run) state() uint64 {
	h := Mix(r.program.Guarded(), r.program.Past())
	for _, v := range r.shared {
		h = Mix(h, v.state())
	}
	for _, t := range r.threads {
		h = Mix(h, t.read)
		for _, ch := range t.chans {
			h = Mix(h, uint64(len(ch)))
		}
	}
	return h
}

// Mix is the finalizer of MurmurHash3 over both.
func Mix(h, v uint64) uint64 {
	h = (h+0x9e3779b97f4a7c15)*31 ^ v
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// running returns the goroutine whose step it is, or nil.
func running() *thread {
	if now == nil {
		return nil
	}
	return now.current
}

func always() bool { return true }

var oneWay = []func() bool{always}

// step announces a step that can be taken in these ways, one if none are given, and
// returns, when it is taken, which was chosen.
func step(ways ...func() bool) (chosen int) {
	t := running()
	if t == nil || t.dropped {
		return 0 // set-up, the end, or a deferred call
	}
	joined := t.joined && len(ways) == 0
	if t.joined = false; joined {
		return 0
	}
	if t.ways = ways; len(ways) == 0 {
		t.ways = oneWay
	}
	if !t.yield(struct{}{}) {
		panic(dropped)
	}
	t.parks = false
	t.saw(uint64(t.chosen))
	return t.chosen
}

func (t *thread) saw(v uint64) { t.read = Mix(t.read, v) }

// Saw says that the running goroutine has read v in its present step, from what is
// shared by other means than those of this package.
func Saw(v uint64) {
	if t := running(); t != nil {
		t.saw(v)
	}
}

// Step is a step of the caller's own.
func Step() { step() }

// Forget says that the running goroutine has no variables but place, which says where it
// is as well.
func Forget(place uint64) {
	if t := running(); t != nil {
		t.read = place
	}
}

// Controls reports whether f, called outside of a run, uses what this package controls.
func Controls(f func()) bool {
	before := touched
	f()
	return touched != before
}

// touched counts the operations outside of a run.
var touched int

// Mutant is the number of the wrong step that is to be taken, or 0.
var Mutant int

// Wrong reports whether the wrong step i is to be taken.
func Wrong(i int) bool { return Mutant == i }
