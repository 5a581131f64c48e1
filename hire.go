package sweetspot

import (
	"math"
	"runtime"
	"time"

	"github.com/sweetspot-go/sweetspot/limit"
)

// hire starts one more worker if the limit allows and what is left, in time of
// one worker, pays for it.
func (c *crew) hire(left time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if left >= wakeCost*time.Duration(c.size+1) {
		c.enlist()
	}
}

// foresee starts those at once whom the call can use if its n items cost what those
// of the last calls did. Otherwise nobody comes before the first item has ended or
// the watch has looked, which takes a millisecond where the runtime waits for it in
// the poller of the network: one item of that length more for the lead.
func (c *crew) foresee(n int) {
	each := 10 * float64(wakeCost) // should they be called in vain, a tenth of what was hoped for is lost
	total := c.recall.cost * float64(n)
	if total < 2*each {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.limiter.Load()
	switch {
	case l != nil:
		c.enlist()
	case c.set.fixed == 0 && c.recall.limit > runtime.GOMAXPROCS(0) && total >= float64(governWorth)*float64(c.bound()):
		c.govern()
	default:
		for k := min(c.bound(), n, int(min(total/each, math.MaxInt32))) - 1; k > 0; k-- {
			c.enlist()
		}
	}
}

// enlist starts one more worker if the limit allows. c.mu is held, and there are
// items that nobody has claimed.
func (c *crew) enlist() {
	if c.shut || c.stopped.Load() {
		return
	}
	if l := c.limiter.Load(); l != nil {
		if c.lead.down && c.lead.guest && !c.lent {
			c.lent = true
			w := c.join()
			w.guest = true
			c.helpers.Add(1)
			go w.run()
			return
		}
		if !c.scouting {
			c.scouting = true
			if !c.lead.guest {
				c.manned.Add(1)
			}
			c.waiting()
			if c.scouts.run == nil {
				c.scouts.run = c.scout
			}
			c.helpers.Add(1)
			go c.scouts.run()
		}
		return
	}
	if c.size >= c.bound() {
		c.fullUp.Store(true)
		return
	}
	c.company.Store(true)
	if w := c.parked; w != nil {
		c.parked = w.next
		w.next, c.rested = c.rested, w // for join to take
		c.join().call <- true
		return
	}
	c.helpers.Add(1)
	go c.join().run()
}

// bound returns how many may work as long as no Limiter decides. c.mu is held.
func (c *crew) bound() int {
	if c.most == 0 {
		c.most = c.set.fixed
		if c.most == 0 {
			c.most = runtime.GOMAXPROCS(0)
		}
	}
	return c.most
}

// join makes a worker, or has one of those who left come back. c.mu is held.
func (c *crew) join() *worker {
	w := c.rested
	if w != nil {
		c.rested = w.next
		// Not all of it: its span may not be written like that, and holds what it
		// left behind, if nobody has taken that.
		w.next, w.gone, w.guest, w.n, w.bad, w.done, w.pace = nil, false, false, 0, 0, 0, pace{}
	} else {
		w = &worker{c: c, at: nowhere}
		w.run = w.help
	}
	w.seen, w.seated = false, false
	if len(c.workers) == 0 {
		c.workers = append(c.few[:0], &c.lead)
	}
	if w.at == nowhere {
		w.at = len(c.workers)
		c.workers = append(c.workers, w)
	}
	c.size++
	c.manned.Add(1)
	return w
}

// help is the goroutine of a helper.
func (w *worker) help() {
	c := w.c
	defer c.helpers.Done()
	for {
		w.began = c.clock()
		w.since = w.began
		w.pace.cost = float64(c.cost.Load()) / 1000
		c.workAs(w)
		if !w.park || !<-w.call {
			return
		}
		w.park = false
	}
}

// park takes in w, who has left. Where items come from a source or from other items,
// the goroutine waits, since helpers come and go with the backlog: a new one takes an
// object of the runtime whenever it starts on another CPU than the last one ended on.
// c.mu is held.
func (c *crew) park(w *worker) {
	if c.backlog == nil && !c.grows || c.shut || c.stopped.Load() || c.limiter.Load() != nil {
		w.next, c.rested = c.rested, w
		return
	}
	if w.call == nil {
		w.call = make(chan bool, 1)
	}
	w.park = true
	w.next, c.parked = c.parked, w
}

// sendHome ends those who are parked. c.mu is held.
func (c *crew) sendHome() {
	for w := c.parked; w != nil; w = w.next {
		w.call <- false
	}
	c.parked = nil
}

// scouts are what each scout of a call needs again.
type scouts struct {
	run   func() // crew.scout, bound once; nil before the first one
	place limit.Waiter
}

// scout waits for a permit, and becomes a worker with it. As long as there is
// work, one scout waits: so the limit is known to hold somebody back, and a
// higher one is used at once.
func (c *crew) scout() {
	l := c.limiter.Load()
	err := l.acquire(c.quit, &c.scouts.place)
	c.mu.Lock()
	c.scouting = false
	if !c.lead.guest {
		c.manned.Add(-1)
	}
	if err != nil || c.stopped.Load() || c.left() <= 0 || c.vain.Load() {
		c.mu.Unlock()
		if err == nil {
			l.sem.Cancel()
		}
		c.helpers.Done()
		return
	}
	w := c.join()
	w.seen, w.seated = true, true
	c.enlist()
	c.mu.Unlock()
	w.help()
}
