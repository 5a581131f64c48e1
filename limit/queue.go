package limit

// A waiter is a place to wait for a permit, with a channel of its own.
type waiter struct {
	ready      chan struct{} // gets a word when the permit is handed over; room for one
	granted    bool          // whether it was
	lent       bool          // by the caller of AcquireIn
	prev, next *waiter
}

func newWaiter() *waiter { return &waiter{ready: make(chan struct{}, 1)} }

// A Waiter is a reusable place to wait, for a goroutine that waits often: it then
// allocates for the first wait only (see [Semaphore.AcquireIn]). The zero Waiter is
// ready for use. It serves one call at a time, of any Semaphore, and must not be
// copied.
type Waiter struct{ w waiter }

// use returns the waiter of p, ready to wait, or nil if p is nil.
func (p *Waiter) use() *waiter {
	if p == nil {
		return nil
	}
	if p.w.ready == nil {
		p.w.ready, p.w.lent = make(chan struct{}, 1), true
	}
	return &p.w
}

// A queue holds waiters in the order of their arrival.
type queue struct {
	head, tail *waiter
	len        int
}

// push appends w, which may have waited before: who was woken together with others still
// leads to the next of them.
func (q *queue) push(w *waiter) {
	w.granted, w.prev, w.next = false, q.tail, nil
	if q.tail == nil {
		q.head = w
	} else {
		q.tail.next = w
	}
	q.tail = w
	q.len++
}

// remove takes w out, wherever it stands.
func (q *queue) remove(w *waiter) {
	if w.prev == nil {
		q.head = w.next
	} else {
		w.prev.next = w.next
	}
	if w.next == nil {
		q.tail = w.prev
	} else {
		w.next.prev = w.prev
	}
	w.prev, w.next = nil, nil
	q.len--
}

// A chain is a list of waiters, linked by next, that were granted a permit and
// are still asleep. It is built with the mutex held and woken without: waking
// takes longer than all the rest, and everybody else would stand at the mutex.
type chain struct {
	head, tail *waiter
}

// grantFirst moves the first waiter of q to c. From now on it holds a permit.
func (q *queue) grantFirst(c *chain) {
	w := q.head
	q.remove(w)
	w.granted = true
	if c.tail == nil {
		c.head = w
	} else {
		c.tail.next = w
	}
	c.tail = w
}
