package call

import "sync"

// due are the workers that have joined and that no goroutine has begun to help as. They have
// a lock of their own, since whoever starts many holds Call.mu for as long as that takes.
type due struct {
	mu    sync.Mutex
	first *Worker
	run   func() // Call.begin, bound once for all helpers; nil before the first
}

// launch starts the goroutine of w. The runtime keeps the goroutine started last for the
// thread that started it; others may take it after they have slept for 3 µs, which with the
// slack of timers on Linux are 60. So there are two, and the first that runs is the helper.
// c.mu is held.
func (c *Call) launch(w *Worker) {
	if c.due.run == nil {
		c.due.run = c.begin
	}
	c.due.push(w)
	c.helpers.Add(2)
	go c.due.run()
	go c.due.run()
}

// begin is one of the goroutines of a helper.
func (c *Call) begin() {
	defer c.helpers.Done()
	if w := c.due.pop(); w != nil {
		w.help()
	}
}

func (d *due) push(w *Worker) {
	d.mu.Lock()
	defer d.mu.Unlock()
	w.next, d.first = d.first, w
}

// pop returns one of them, or nil if there is none.
func (d *due) pop() *Worker {
	d.mu.Lock()
	defer d.mu.Unlock()
	w := d.first
	if w != nil {
		d.first, w.next = w.next, nil
	}
	return w
}
