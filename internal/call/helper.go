package call

import (
	"cmp"
	"runtime"

	"github.com/sweetspot-go/sweetspot/internal/panics"
)

// SpawnOne starts one more worker if the limit allows.
func (c *Call) SpawnOne() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.spawn()
}

// spawn starts one more worker if the limit allows. c.mu is held, and there are
// items that nobody has claimed.
func (c *Call) spawn() {
	switch {
	case c.shut || c.stopped.Load():
	case c.limiter.Load() != nil:
		if !c.lendPermit() {
			c.startWaiter()
		}
	case c.size >= c.bound():
		c.full.Store(true)
	default:
		c.accompany()
		if w := c.parked; w != nil {
			c.parked = w.next
			w.next, c.rested = c.rested, w // for join to take
			c.join().wakeup <- true
			return
		}
		c.launch(c.join())
	}
}

// lendPermit starts a helper under the permit that the caller has inherited and does not
// use. c.mu is held.
func (c *Call) lendPermit() bool {
	if !c.Caller.Aside || !c.Caller.InheritsPermit || c.permitLent {
		return false
	}
	c.permitLent = true
	w := c.join()
	w.InheritsPermit = true
	c.launch(w)
	return true
}

// startWaiter starts the waiter unless it waits already: it waits for a permit and becomes a
// worker with it. As long as there is work, one of the call waits: so the limit is known to
// hold somebody back, and a higher one is used at once. c.mu is held.
func (c *Call) startWaiter() {
	if c.waiting {
		return
	}
	c.waiting = true
	if !c.Caller.InheritsPermit {
		c.helpersDue.Add(1)
	}
	c.untilExhausted()
	c.launchWaiter()
}

// waitForPermit is what the waiter does.
func (c *Call) waitForPermit() {
	l := c.limiter.Load()
	err := l.AcquireIn(c.nothingLeft, &c.place)
	c.mu.Lock()
	c.waiting = false
	if !c.Caller.InheritsPermit {
		c.helpersDue.Add(-1)
	}
	if err != nil || c.stopped.Load() || c.job.Left() <= 0 {
		c.mu.Unlock()
		if err == nil {
			l.Cancel()
		}
		return
	}
	w := c.join()
	w.sawLimiter = true
	w.hasPermit.Store(true)
	c.spawn()
	c.mu.Unlock()
	w.help()
}

// bound returns how many may work as long as no limiter decides. c.mu is held.
func (c *Call) bound() int {
	if c.most == 0 {
		c.most = c.Config.Fixed
		if c.most == 0 {
			c.most = runtime.GOMAXPROCS(0)
		}
	}
	return c.most
}

// MayGrow reports whether the limit in force allows more than one at a time.
// The call is locked.
func (c *Call) MayGrow() bool {
	if l := c.limiter.Load(); l != nil {
		return l.Limit() > 1
	}
	return c.bound() > 1
}

// join makes a worker, or has one of those that left come back. c.mu is held.
func (c *Call) join() *Worker {
	w := c.rested
	if w != nil {
		c.rested = w.next
		// Not all of it: its Range may not be written like that, and holds what it
		// left behind, if nobody has taken that.
		w.next, w.Gone, w.InheritsPermit, w.Items, w.Done, w.Sizer = nil, false, false, 0, 0, Sizer{}
	} else {
		if len(c.room) == 0 {
			c.room = make([]Worker, max(fewHelpers, len(c.workers)))
		}
		w, c.room = &c.room[0], c.room[1:]
		w.call, w.at = c, nowhere
	}
	w.sawLimiter = false
	w.hasPermit.Store(false)
	if w.at == nowhere {
		w.at = len(c.workers)
		c.workers = append(c.workers, w)
	}
	c.size++
	c.helpersDue.Add(1)
	return w
}

// help works until w is not wanted any more.
func (w *Worker) help() {
	c := w.call
	for {
		w.Began = c.Clock()
		w.permitSince = w.Began
		w.Sizer.Cost, w.Sizer.prior = c.Cost(), c.prior()
		c.run(w)
		if !w.park || !<-w.wakeup {
			return
		}
		w.park = false
	}
}

// run does w's part of the job, and reports whether there is more for w, the caller.
func (c *Call) run(w *Worker) (again bool) {
	isCaller, ended, exits, finished := w.IsCaller, false, false, false
	defer func() {
		if !ended {
			f := panics.Caught(recover(), c.Config.Wrap)
			exits = f.Exited()
			c.caught(f)
		}
		if !finished {
			w.Items = w.ignored + w.overloaded // of the others it is not known which are done
		}
		if isCaller && c.Alone() {
			c.end()
			return
		}
		c.leave(w)
		if isCaller {
			c.helpers.Wait()
			if again = c.job.Again() && c.comeBack(); !again {
				c.close()
			}
			if exits && c.failure.Value() != nil {
				c.failure.Resume() // a panic goes before a Goexit, which goes on otherwise
			}
		}
	}()
	if err := c.job.Work(w); err != nil {
		c.Fail(cmp.Or(c.causeOf(err), err))
	} else {
		finished = true
	}
	ended = true
	return false
}

// leave takes w off the call, and gives its permit back.
func (c *Call) leave(w *Worker) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !w.Aside {
		c.size--
	}
	c.full.Store(false)
	w.Gone = true
	if w.IsCaller {
		c.shut = true
		c.dismissAll()
		c.sendHome()
	} else if !c.job.Owns(w) {
		last := len(c.workers) - 1
		c.workers[w.at] = c.workers[last]
		c.workers[w.at].at = w.at
		c.workers[last] = nil
		c.workers = c.workers[:last]
		w.at = nowhere
	}
	w.giveBack()
	if w.IsCaller {
		return
	}
	if w.InheritsPermit {
		c.permitLent = false
	}
	if c.allClaimed() {
		c.dismissAll() // also if w has left without looking for more
	}
	c.helpersDue.Add(-1)
	c.park(w)
	// To lose no wakeup: a producer first adds an item and then looks whether there is
	// a helper; here it is the other way round.
	if c.stream && c.job.Left() > 0 {
		c.spawn()
	}
}

// park takes in w, who has left. Where items come one by one,
// the goroutine waits, since helpers come and go with them: a new one takes an
// object of the runtime whenever it starts on another CPU than the last one ended on.
// c.mu is held.
func (c *Call) park(w *Worker) {
	if !c.stream || c.shut || c.stopped.Load() || c.limiter.Load() != nil {
		w.next, c.rested = c.rested, w
		return
	}
	if w.wakeup == nil {
		w.wakeup = make(chan bool, 1)
	}
	w.park = true
	w.next, c.parked = c.parked, w
}

// sendHome ends those that are parked. c.mu is held.
func (c *Call) sendHome() {
	for w := c.parked; w != nil; w = w.next {
		w.wakeup <- false
	}
	c.parked = nil
}
