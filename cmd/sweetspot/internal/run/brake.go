package run

import (
	"sync/atomic"
	"time"

	"github.com/sweetspot-go/sweetspot/sense"
)

// A brake has jobs stand still for as long as memory may not suffice for all that run, see
// [sense.Children.Suspend]. A nil brake has none.
type brake struct {
	look  func() (still, resumed []int, again bool)
	procs *processes
	ends  func(pid int) bool // a job was told to end, so it must be able to

	wake, quit, ended chan struct{}
	stops             atomic.Int64 // times that a job began to stand still
}

// newBrake lets children start jobs on credit.
func newBrake(children *sense.Children, procs *processes, ends func(pid int) bool) *brake {
	b := &brake{
		look: children.Suspend, procs: procs, ends: ends,
		wake: make(chan struct{}, 1), quit: make(chan struct{}), ended: make(chan struct{}),
	}
	children.Lend(func() {
		select {
		case b.wake <- struct{}{}:
		default:
		}
	})
	return b
}

func (b *brake) start() {
	if b != nil {
		go b.loop()
	}
}

func (b *brake) loop() {
	defer close(b.ended)
	tick := time.NewTicker(time.Hour)
	defer tick.Stop()
	ticks := false
	standing := map[int]bool{}
	for {
		select {
		case <-b.wake:
			if !ticks { // to reset it again and again would put the next tick off
				ticks = true
				tick.Reset(sense.SuspendEvery)
			}
		case <-tick.C:
			if ticks = b.round(standing); !ticks {
				tick.Stop()
			}
		case <-b.quit:
			return
		}
	}
}

// round has jobs stand still and go on, and reports whether another round is needed.
func (b *brake) round(standing map[int]bool) bool {
	still, resumed, again := b.look()
	for _, pid := range resumed {
		delete(standing, pid)
		b.procs.resume(pid)
	}
	for _, pid := range still {
		// Again each time: somebody may have continued it, as when we were in the background.
		switch stopped := b.procs.stop(pid); {
		case b.ends(pid): // the signal may have come before the stop
			b.procs.resume(pid)
		case stopped && !standing[pid]:
			standing[pid] = true
			b.stops.Add(1)
		}
	}
	if !again {
		clear(standing)
	}
	return again
}

// close ends the brake once all jobs have ended.
func (b *brake) close() {
	if b != nil {
		close(b.quit)
		<-b.ended
	}
}

// stopped returns how many times a job has begun to stand still.
func (b *brake) stopped() int64 {
	if b == nil {
		return 0
	}
	return b.stops.Load()
}
