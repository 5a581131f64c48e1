package httplimit

import (
	"cmp"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// A Priority says how important a request is. All wait in the same queue, first come,
// first served, and are equal once admitted. The priority sets how full the queue may
// be when they arrive. Less important requests are refused earlier, and so leave room
// for the others, as long as the others are not more than can be served.
type Priority int8

const (
	Sheddable Priority = iota - 1 // may wait where less than half of the queue is in use: retries, prefetching, batches
	Normal                        // may wait while there is room in the queue
	Critical                      // may wait in a queue of twice the length
	Exempt                        // is not limited, and counts only in the figure Exempt: health checks
)

// share returns how much of the queue p may use.
func (p Priority) share() float64 {
	switch {
	case p <= Sheddable:
		return 0.5
	case p == Normal:
		return 1
	}
	return 2
}

// A door is the queue in front of a Server's permits. Requests wait in the
// Limiter; the door counts them.
type door struct {
	free   atomic.Int64 // found a permit
	held   atomic.Int64 // found none
	waited atomic.Int64 // and got one later
	exempt atomic.Int64

	overtook atomic.Int64 // of free, those that came while a permit was offered to a request that is held

	waiting          atomic.Int64
	full, late, gone atomic.Int64

	refusal atomic.Int64 // when the next refusal may be answered, ns since began
	lot     lot          // those held until then
	missed  atomic.Int64 // refused and not held
	peak    atomic.Int64 // most that waited or were held since the last look

	standing atomic.Bool  // the queue stands because more requests come than can be served
	next     atomic.Int64 // when to look whether it is, ns since began
	mu       sync.Mutex   // held to look
	every    time.Duration
	began    time.Time
	was      struct{ free, held, missed int64 }
}

const (
	// defaultQueue suits arrivals at random times: with a queue as long as the
	// limit, 3 in 100 were refused at 0.8 of the capacity of ten slots.
	defaultQueue = 2.0
	// standingShare of a queue is used while more requests come than can be served.
	// The queue then only has to have a request ready whenever a permit comes back,
	// and permits come back one at a time.
	standingShare = 1.0 / 16
	// freeShare is the least share of requests that find a permit at once while
	// the load is below the capacity. At a load equal to the capacity it is about
	// a half with a long queue, and more with a short one; at twice that load it
	// is a tenth.
	freeShare = 0.25
	// lookEvery and lookTimes are how long a look at that share takes: until a queue of the
	// default length would be empty if no more requests came, because a burst is not
	// an overload; and long enough to count some requests.
	lookEvery = 100 * time.Millisecond
	lookTimes = 2.0
	// mostRoom is room for all. It fits into an int64, which the room of an infinite
	// Queue does not.
	mostRoom = 1 << 62
	// leastLooked is how many requests a look must count for their share to mean something.
	leastLooked = 20
)

// room returns how many requests may wait when one of priority p comes, itself
// included.
func (d *door) room(s *Server, p Priority) int64 {
	parts := s.Queue
	switch {
	case parts < 0:
		return 0
	case parts == 0:
		parts = defaultQueue
	}
	limit := float64(s.l.Limit())
	d.look(s, min(parts, defaultQueue)*limit)
	length := parts * limit
	if d.standing.Load() {
		length *= standingShare
	}
	return int64(min(p.share()*max(1, length), mostRoom))
}

// look finds out whether the queue is a standing one, if it is time to. Only requests
// that find no permit look. If none came for longer than a look takes, the queue does
// not stand, and those that come now may be a burst. If every refused request was held,
// and never more than room waited or were held at a time, a few clients ask again and
// again, which is not an overload.
func (d *door) look(s *Server, room float64) {
	now := time.Since(d.began)
	if int64(now) < d.next.Load() || !d.mu.TryLock() {
		return
	}
	defer d.mu.Unlock()
	overtook := d.overtook.Load()
	free, held, missed := d.free.Load()-overtook, d.held.Load()+overtook, d.missed.Load()
	came := free - d.was.free + held - d.was.held
	switch late := now - time.Duration(d.next.Load()); {
	case late < 0: // another request has looked
		return
	case late > d.every:
		d.standing.Store(false)
	case came < leastLooked:
		return
	default:
		fits := missed == d.was.missed && float64(d.peak.Load()) <= max(1, room)
		d.standing.Store(!fits && float64(free-d.was.free) < freeShare*float64(came))
	}
	d.was.free, d.was.held, d.was.missed = free, held, missed
	d.peak.Store(d.waiting.Load() + d.lot.n.Load())
	d.every = max(lookEvery, time.Duration(lookTimes*s.l.Stats().Residence*float64(time.Second)))
	d.next.Store(int64(now + d.every))
}

// refuse says when to come again and answers.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request) {
	least := int(s.leastRetryAfter() / time.Second)
	w.Header().Set("Retry-After", strconv.Itoa(least+rand.IntN(least+1)))
	status := cmp.Or(s.Status, http.StatusServiceUnavailable)
	if s.Refuse == nil {
		http.Error(w, "too many requests at a time, try again later", status)
		return
	}
	t := &response{ResponseWriter: w, refusal: int32(status)}
	s.Refuse.ServeHTTP(t.as(), r)
	if t.status == 0 && !t.over.Load() { // neither answered nor hijacked
		t.WriteHeader(status)
	}
}

// leastRetryAfter is RetryAfter in whole seconds, or its default.
func (s *Server) leastRetryAfter() time.Duration {
	return max(time.Second, (s.RetryAfter + time.Second - 1).Truncate(time.Second))
}
