package stream

import "github.com/sweetspot-go/sweetspot/internal/call"

// Put hands v to the helpers. It reports whether the call goes on.
func (p *Producer[T]) Put(v T) bool {
	for !p.queue.push(v) {
		if !p.makeRoom() {
			return false
		}
	}
	p.Index++
	if p.Helpers() == 0 && !p.slow {
		// The helpers have gone for want of items: the source is slower.
		switch {
		case p.Apart:
			if p.workSolo() {
				return !p.Stopped() && !p.Cancelled()
			}
		case p.Config.Limiter == nil || p.Caller.InheritsPermit:
			if p.StepBack() {
				return p.resume()
			}
		}
	}
	if p.slow || p.Helpers() == 0 {
		if p.Cancelled() { // nobody comes any more
			return false
		}
		p.SpawnOne()
	}
	return !p.Stopped()
}

// makeRoom is called when the queue is full. It reports whether the call goes on.
func (p *Producer[T]) makeRoom() bool {
	cost := p.Cost()
	p.slow = cost >= float64(slowItem)
	room := int64(max(1, p.Demand(p.slow))) * int64(p.chunkOf(cost))
	if !p.slow {
		room *= 2
	}
	grown := room > p.queue.room
	p.queue.room = room
	if grown {
		return true
	}
	if !p.slow && p.StepBack() {
		p.away.Store(true)
		ok := p.workOff((p.chunkOf(cost) + 1) / 2)
		p.away.Store(false)
		p.StepAside()
		return ok && !p.Stopped() && !p.Cancelled()
	}
	return p.await(p.queue.tail.Load() - room)
}

// resume does what lies in the queue, and goes on as if there had never been helpers.
func (p *Producer[T]) resume() bool {
	for p.queue.len() > 0 {
		if !p.workOff(call.BatchMost) {
			return false
		}
	}
	w := &p.Caller
	w.Account()
	p.Producing = false
	w.Sizer = p.whole
	p.chunk()
	return true
}

// workSolo has the caller do the items where the results are consumed elsewhere. From
// time to time it reports false instead, so that helpers are called again.
func (p *Producer[T]) workSolo() bool {
	if now := p.Clock(); now-p.soloSince >= 4*call.ChunkTime {
		p.soloSince = now
		return false
	}
	if !p.StepBack() {
		return false
	}
	for p.queue.len() > 0 && p.workOff(call.BatchMost) {
	}
	p.StepAside()
	return true
}

// workOff does up to k items of the queue, as a part of the caller's chunk.
func (p *Producer[T]) workOff(k int) bool {
	w := &p.Caller
	items, first := p.queue.claim(p.batch[:0], k, p.Helpers()+1, p.least())
	p.batch = items
	if len(items) == 0 {
		return true
	}
	began := w.Began
	if w.Items > 0 {
		began = p.Clock()
	}
	w.Items += len(items)
	p.Index = ^p.Index
	err := p.Items.Visit(w, first, items)
	p.Index = ^p.Index
	clear(items)
	if err != nil {
		w.Unfinished()
		p.Fail(err)
		return false
	}
	w.Sizer.See(len(items), p.Clock()-began)
	return true
}

// await waits until all items up to number n are claimed. It reports whether the
// call goes on.
func (p *Producer[T]) await(n int64) bool {
	p.full.Store(true)
	if p.queue.head.Load() <= n {
		select {
		case <-p.room:
		case <-p.Context().Done():
		}
	}
	p.full.Store(false)
	return !p.Cancelled() && !p.Stopped()
}

// Ahead returns how many items may lie ready or be at work.
func (p *Producer[T]) Ahead() int {
	// The room grows only where the queue was seen full, so it may say less than
	// the helpers that wait for items do.
	return max(int(p.queue.room), p.Helpers())
}

// Away tells helpers without an item whether the caller is about to come back.
func (p *Producer[T]) Away(yes bool) { p.away.Store(yes) }

// End is called when the source has ended. It returns when everything has
// been claimed.
func (p *Producer[T]) End() {
	if p.Index < 0 {
		panic("sweetspot: the sequence recovered a panic of its loop's body and returned as if nothing had happened")
	}
	w := &p.Caller
	if !p.Producing {
		if w.Items = int(p.Index - p.From); p.Governed() && w.Items > 0 {
			w.Settle()
		}
	}
	for p.supply != nil && p.queue.len() > 0 && !p.Stopped() {
		if w.Aside && !p.StepBack() {
			p.await(p.queue.tail.Load() - 1) // until the queue is empty, or less full
			continue
		}
		p.workOff(p.chunkOf(p.Cost()))
		p.StepAside()
	}
	if !p.Stopped() {
		p.Cancelled() // then the source may have ended early
	}
	p.Unclaimed.Store(0)
	p.Mark = 0
	p.Exhausted()
}
