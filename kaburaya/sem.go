package kaburaya

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/limit"
	"github.com/sweetspot-go/sweetspot/sense"
)

// A Sem is a semaphore that adjusts its limit to the CPU usage. Make one with
// [NewSem], and call [Sem.Stop] when the work is done.
type Sem struct {
	sem  *limit.Semaphore
	once sync.Once
	stop chan struct{} // closed by the first Stop
	done chan struct{} // closed when run has ended
	loop atomic.Value  // the goroutine in run
}

const (
	// shortest is the step in which Linux counts the machine's CPU time: there
	// is nothing to be seen in less.
	shortest = 10 * time.Millisecond
	// highestGain is that of [control.NewDynamicTarget].
	highestGain = 1000
)

// NewSem returns a semaphore with a limit of 1, and starts the goroutine that adjusts
// it once a period, until [Sem.Stop].
//
// The gain says how far the limit moves per percent of usage off the target. The talk
// uses 100 ms and gains from 0.1 to 0.3. NewSem panics if period is under 10 ms, or
// unless gain is above 0 and at most 1000.
func NewSem(period time.Duration, gain float64, opts ...Option) *Sem {
	if period < shortest {
		panic(fmt.Sprintf("kaburaya: NewSem: period %v: must be at least %v, such as 100ms", period, shortest))
	}
	if !(gain > 0 && gain <= highestGain) {
		panic(fmt.Sprintf("kaburaya: NewSem: gain %v: must be over 0 and at most %v, such as 0.1", gain, highestGain))
	}
	c := config{metric: control.OwnCPU, max: DefaultMax, changeRate: DefaultChangeRate, record: func(Point) {}}
	for _, o := range opts {
		o.apply(&c)
	}
	if c.sensor == nil {
		c.sensor = sense.NewProcess()
	}
	s := &Sem{sem: limit.New(1), stop: make(chan struct{}), done: make(chan struct{})}
	go s.run(newLoop(s.sem, gain, c), period)
	return s
}

// Wait takes a permit, waiting until one is free. Permits go to callers in the order of
// their arrival. Lowering the limit revokes none.
func (s *Sem) Wait() {
	// Without a context that can be done, Acquire has no error to return.
	_ = s.sem.Acquire(context.Background())
}

// Signal gives a permit back, to the caller that has waited longest, if any. It panics
// if no permit is out.
func (s *Sem) Signal() { s.sem.Release() }

// Limit returns the limit in force.
func (s *Sem) Limit() int { return s.sem.Limit() }

// Stop ends the adjusting, and returns when its goroutine has ended, so nothing is
// recorded any more. The limit stays as it is, and Wait and Signal still work. Any
// goroutine may call Stop any number of times, before or after the work is done. Called
// by the function given to [Record], it does not wait, because it would wait for itself:
// that call is then the last. It waits for the function of another Sem, so two functions
// must not stop each other's Sem.
func (s *Sem) Stop() {
	s.once.Do(func() { close(s.stop) })
	if s.loop.Load() != goroutine() {
		<-s.done
	}
}

// run takes one step of l a period until s is stopped.
func (s *Sem) run(l *loop, period time.Duration) {
	defer close(s.done)
	s.loop.Store(goroutine())
	ticker := time.NewTicker(period)
	defer ticker.Stop()
	for {
		select {
		case <-s.stop:
			return
		case <-ticker.C:
		}
		select {
		case <-s.stop: // at the same time as the tick
			return
		default:
		}
		l.record(l.step())
	}
}

// goroutine returns what tells the calling goroutine from all others. Go has no other way to ask who calls, and
// Stop is called too seldom for the cost to matter.
func goroutine() string {
	var stack [64]byte
	who, _, _ := bytes.Cut(stack[:runtime.Stack(stack[:], false)], []byte(" [")) // its state follows
	return string(who)
}
