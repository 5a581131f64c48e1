package call

import "sync"

// due is work that no goroutine has taken yet. For each entry at least one goroutine has been
// started. It has its own lock because spawning many helpers holds Call.mu for a while.
type due struct {
	run     func() // Call.begin, bound once for all; nil before the first; guarded by Call.mu
	mu      sync.Mutex
	helpers *Worker // those that have joined
	waiter  bool    // one is to wait for a permit
}

// launch starts the goroutine of w. The runtime keeps the goroutine started last for the
// thread that started it; others may take it after they have slept for 3 µs, which with the
// slack of timers on Linux are 60. So there are two, and the first that runs is the helper.
// c.mu is held.
func (c *Call) launch(w *Worker) {
	d := &c.due
	d.mu.Lock()
	w.next, d.helpers = d.helpers, w
	d.mu.Unlock()
	c.begins(2)
}

// launchWaiter starts the goroutine of the waiter. c.mu is held.
func (c *Call) launchWaiter() {
	d := &c.due
	d.mu.Lock()
	d.waiter = true
	d.mu.Unlock()
	c.begins(1)
}

func (c *Call) begins(goroutines int) {
	if c.due.run == nil {
		c.due.run = c.begin
	}
	c.helpers.Add(goroutines)
	for range goroutines {
		go c.due.run()
	}
}

// begin is a goroutine of the call. It does one thing that is due, if there is any.
func (c *Call) begin() {
	defer c.helpers.Done()
	switch w, wait := c.due.take(); {
	case w != nil:
		w.help()
	case wait:
		c.waitForPermit()
	}
}

// take takes one thing to do: to help as a worker, or to wait for a permit.
func (d *due) take() (w *Worker, wait bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if w = d.helpers; w != nil {
		d.helpers, w.next = w.next, nil
		return w, false
	}
	wait, d.waiter = d.waiter, false
	return nil, wait
}
