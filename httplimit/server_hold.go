package httplimit

import (
	"container/list"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sweetspot-go/sweetspot"
)

const (
	// refusalsPerCPU refusals a second are answered at once, for each CPU. One costs some
	// 30 µs, so they take less than one in a hundred of the CPUs.
	refusalsPerCPU = 250
	// refusalBurst is how much of that may be saved up: clients that come together are
	// refused together.
	refusalBurst = 100 * time.Millisecond
	// mostHeld bounds the memory that held requests take: some 20 kB each, with their
	// connections.
	mostHeld = 4096
	// heldFresh is how long a request may have been held if it is admitted after all.
	heldFresh = 100 * time.Millisecond
)

// A lot has the requests that are held, the newest last.
type lot struct {
	mu   sync.Mutex
	list list.List // of *place
	n    atomic.Int64

	offered atomic.Int64 // permits offered to requests that have not come for them yet
}

// A place is a held request's place in the lot.
type place struct {
	since time.Duration
	free  chan struct{} // has something when a permit has come free for it
	in    *list.Element // nil: it has left
}

// hold delays the refusal of a request if refusals come faster than they may be answered. This
// also slows down a client that asks again at once. The hold lasts until the turn of the request
// at that pace, at most Hold. If a permit comes free meanwhile, and no request waits in the
// queue, the newest held request takes it, because it has waited least.
//
// A connection of HTTP/2 carries other requests beside this one, and the number of open
// ones is bounded, so a held request would hold up the others. There all refusals are
// answered at once.
func (s *Server) hold(r *http.Request) (sweetspot.Unit, bool) {
	d := &s.door
	wait := time.Duration(0)
	if s.Hold >= 0 && r.ProtoMajor == 1 {
		wait = d.turn(orDefault(s.Hold, s.leastRetryAfter()))
	}
	p := &place{since: time.Since(d.began), free: make(chan struct{}, 1)}
	if wait <= 0 || !d.lot.enter(p) {
		d.missed.Add(1)
		return sweetspot.Unit{}, false
	}
	t := time.NewTimer(wait)
	defer t.Stop()
	for in := true; in; in = d.lot.enter(p) {
		d.crowd()
		s.wake() // a permit may have come free before this request was held
		select {
		case <-p.free:
			u, ok := s.l.TryBegin()
			s.answered()
			if ok {
				return u, true
			}
			continue
		case <-t.C:
		case <-r.Context().Done():
		}
		if !d.lot.leave(p) {
			s.answered() // the permit is for another one
		}
		break
	}
	return sweetspot.Unit{}, false
}

// enter reports whether there was room.
func (l *lot) enter(p *place) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.list.Len() >= mostHeld {
		return false
	}
	p.in = l.list.PushBack(p)
	l.n.Add(1)
	return true
}

// leave reports whether p was still there: it was not offered a permit.
func (l *lot) leave(p *place) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.take(p)
}

// take is leave with mu held.
func (l *lot) take(p *place) bool {
	if p.in == nil {
		return false
	}
	l.list.Remove(p.in)
	l.n.Add(-1)
	p.in = nil
	return true
}

// wake offers free permits to held requests, the newest first. It offers none while requests
// wait in the queue, and none to requests that have been held for long: their clients should try
// again. It asks the Limiter how many wait, because the door still counts requests that have
// their permit but do not run yet.
func (s *Server) wake() {
	lot := &s.door.lot
	if lot.n.Load() == 0 {
		return
	}
	lot.mu.Lock()
	defer lot.mu.Unlock()
	st := s.l.Stats()
	if st.Waiting > 0 {
		return
	}
	for free := st.Limit - st.InFlight - int(lot.offered.Load()); free > 0 && lot.list.Len() > 0; free-- {
		p := lot.list.Back().Value.(*place)
		if time.Since(s.door.began)-p.since > heldFresh {
			return
		}
		lot.take(p)
		lot.offered.Add(1)
		p.free <- struct{}{}
	}
}

// answered ends an offer, whether its permit was taken or not. A permit that came free since
// that one was taken may be for another request: until now that one counted twice, as in flight
// and as offered.
func (s *Server) answered() {
	s.door.lot.offered.Add(-1)
	s.wake()
}

// turn returns how long it is until the next refusal may be answered, at most most, and
// takes that turn if it comes before then.
func (d *door) turn(most time.Duration) time.Duration {
	pace := time.Second / time.Duration(refusalsPerCPU*runtime.GOMAXPROCS(0))
	now := time.Since(d.began)
	for {
		next := d.refusal.Load()
		at := max(time.Duration(next), now-refusalBurst)
		if at-now > most {
			return most
		}
		if d.refusal.CompareAndSwap(next, int64(at+pace)) {
			return at - now
		}
	}
}

// crowd notes how many requests wait or are held.
func (d *door) crowd() {
	n := d.waiting.Load() + d.lot.n.Load()
	for {
		peak := d.peak.Load()
		if n <= peak || d.peak.CompareAndSwap(peak, n) {
			return
		}
	}
}
