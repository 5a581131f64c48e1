package frontier

import "github.com/sweetspot-go/sweetspot/internal/call"

func (v *walk[K]) help(w *call.Worker) error {
	p := v.join(w)
	if p == nil {
		return nil
	}
	p.pushed = p.push
	p.resume()
	finished := false
	defer func() { p.retire(finished) }()
	if !p.drain() && p.err != nil {
		v.call.Fail(p.err)
	}
	finished = true
	return nil
}

// join returns a walker with its first keys, or nil if there are none.
func (v *walk[K]) join(w *call.Worker) *walker[K] {
	v.queue.mu.Lock()
	defer v.queue.mu.Unlock()
	if v.serial {
		// There is nothing to do until the only walker shares, and that may take
		// long. So the helper leaves, and that walker will start another.
		v.wanted.Store(true)
		v.queue.size.Store(0)
		return nil
	}
	if v.queue.len() == 0 {
		return nil
	}
	v.queue.active++
	p := &walker[K]{v: v, w: w}
	p.take()
	return p
}

// retire gives back what a helper has. finished is false if a visit has not returned:
// what the helper has is of no use then, as the call ends.
func (p *walker[K]) retire(finished bool) {
	v := p.v
	if finished {
		if p.mode == serial {
			p.beginShared()
		}
		p.giveAll()
	}
	p.mode = ended
	v.queue.mu.Lock()
	v.queue.active--
	over := v.queue.over()
	if p.batches != nil && finished {
		v.free = append(v.free, p.batches)
	}
	v.queue.notify()
	v.queue.mu.Unlock()
	if over {
		v.call.Exhausted()
	}
}
