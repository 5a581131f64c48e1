package dash

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"
	"weak"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/internal/pause"
)

const (
	// step is how often a page measures. It is also how often it moves, and faster
	// than that nobody reads.
	step = time.Second
	// pointsKept of a Limiter are an hour, and pointsInAll, of 24 bytes each, 100
	// times that: 9.7 MB with what is cut off only now and then.
	pointsKept  = 3600
	pointsInAll = 100 * pointsKept
	// pointsLeast of each are kept however many Limiters there are.
	pointsLeast = 60
	// changesKept is how many decisions a Limiter remembers.
	changesKept = 256
)

// A history is what a page remembers. It measures when it is asked for news, at
// most once a step, so it needs no goroutine of its own.
type history struct {
	limiters func() []*sweetspot.Limiter
	room     int // points of all series together

	mu     sync.Mutex
	seq    int64
	times  []int64 // of the points, ms since 1970; the last belongs to the last point of every series
	series []*series
	newest *moment // nil before the first measurement
}

// A series is what is remembered of one Limiter, which it does not keep alive.
type series struct {
	of     weak.Pointer[sweetspot.Limiter]
	name   string // as JSON can carry it
	id     string
	seen   bool // it was measured before
	active time.Duration
	points []point
	ledger ledger
}

type point struct {
	limit, inFlight, waiting int32
	rate, own, machine       figure
}

// A moment is one measurement of all Limiters.
type moment struct {
	seq    int64
	at     time.Time
	states []state
}

// next returns the newest moment, unless that is the one given: then it waits
// for the one after it. The error is the cause of ctx.
func (h *history) next(ctx context.Context, after *moment) (*moment, error) {
	for {
		if ctx.Err() != nil { // a slow reader finds something new each time, and never waits
			return nil, context.Cause(ctx)
		}
		m, wait := h.look(after)
		if m != nil {
			return m, nil
		}
		if err := pause.Sleep(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// look returns a moment that is not the one given, measuring if it is time to,
// or how long to wait.
func (h *history) look(after *moment) (*moment, time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.newest != nil {
		wait := step - time.Since(h.newest.at)
		if wait > 0 && h.newest != after {
			return h.newest, 0
		}
		if wait > 0 {
			return nil, wait
		}
	}
	h.measure(time.Now())
	return h.newest, 0
}

func (h *history) measure(now time.Time) {
	since := time.Duration(math.MaxInt64)
	switch {
	case h.newest == nil:
	case now.UnixMilli() < h.newest.at.UnixMilli():
		// The wall clock was set back. What was seen before has no place on a plot any more, and
		// readers get another history.
		h.series, h.times = nil, nil
	default:
		since = now.Sub(h.newest.at)
	}
	living := h.limiters()
	h.enrol(living)
	keep := max(pointsLeast, min(pointsKept, h.room/max(1, len(h.series))))
	h.seq++
	m := &moment{seq: h.seq, at: now, states: make([]state, len(h.series))}
	for i, s := range h.series {
		m.states[i] = s.measure(living[i], now, since)
		s.points = trim(s.points, keep)
	}
	h.times = trim(append(h.times, now.UnixMilli()), pointsKept)
	h.newest = m
}

// enrol makes the series those of the Limiters that live, in their order.
func (h *history) enrol(living []*sweetspot.Limiter) {
	known := make(map[weak.Pointer[sweetspot.Limiter]]*series, len(h.series))
	taken := make(map[string]bool, len(living))
	for _, s := range h.series {
		known[s.of] = s
	}
	h.series = make([]*series, len(living))
	for i, l := range living {
		if s := known[weak.Make(l)]; s != nil {
			h.series[i] = s
			taken[s.id] = true
		}
	}
	free := make(map[string]int) // the least suffix of a name that may be free
	for i, l := range living {
		if h.series[i] != nil {
			continue
		}
		// The encoder would replace what is not UTF-8 too, but then nobody could
		// ask for the id that it wrote.
		name := strings.ToValidUTF8(l.Name(), "\uFFFD")
		id := name
		for n := max(2, free[name]); taken[id]; n++ {
			id = fmt.Sprintf("%s~%d", name, n)
			free[name] = n + 1
		}
		h.series[i] = &series{of: weak.Make(l), name: name, id: id}
		taken[id] = true
	}
}

// measure adds a point. since is the time since the page's measurement before, and
// math.MaxInt64 if there was none.
func (s *series) measure(l *sweetspot.Limiter, now time.Time, since time.Duration) state {
	st := l.Stats()
	p := point{limit: count(st.Limit), inFlight: count(st.InFlight), waiting: count(st.Waiting), own: unknown, machine: unknown}
	// What Stats says is of the last second with work, so at rest it is of old.
	share := 0.0
	switch worked := st.Active - s.active; {
	case s.seen && since < 3*step:
		share = min(1, worked.Seconds()/since.Seconds())
	case st.InFlight > 0:
		share = 1
	}
	if share > 0 {
		p.rate, p.own, p.machine = figure(st.Rate*share), figure(st.OwnCPU*share), figure(st.MachineCPU)
	}
	before := time.Time{}
	if since < math.MaxInt64 { // who was not seen then began after it
		before = now.Add(-since)
	}
	s.ledger.enter(l, st.Active, before, now)
	s.seen, s.active = true, st.Active
	s.points = append(s.points, p)
	return newState(s, st, p)
}

// count fits into a point: limits end at 2^30.
func count(n int) int32 { return int32(min(n, math.MaxInt32)) }

// trim cuts the oldest off, once there is an eighth more than what is to be kept,
// so that little is copied.
func trim[T any](s []T, keep int) []T {
	if len(s) < keep+keep/8 {
		return s
	}
	kept := make([]T, keep, keep+keep/8)
	copy(kept, s[len(s)-keep:])
	return kept
}

// find returns the series with an id, or the first if that is "", or nil.
func (h *history) find(id string) *series {
	for _, s := range h.series {
		if id == "" || s.id == id {
			return s
		}
	}
	return nil
}

// limiter returns the Limiter with an id, or nil.
func (h *history) limiter(id string) *sweetspot.Limiter {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.find(id); s != nil {
		return s.of.Value()
	}
	return nil
}

// Record measures once a second until ctx is done, and returns its cause. So the page
// has a history before anyone opens it. While it runs it uses as much memory as an open
// page.
func (p *Page) Record(ctx context.Context) error {
	var m *moment
	for {
		var err error
		if m, err = p.history.next(ctx, m); err != nil {
			return err
		}
	}
}
