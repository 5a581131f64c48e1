package dash

import (
	"context"
	"net/http"
	"time"

	"github.com/sweetspot-go/sweetspot"
)

const (
	Step        = step
	PointsKept  = pointsKept
	PointsLeast = pointsLeast
)

// Show makes a page show these Limiters instead of those with a name.
func (p *Page) Show(list func() []*sweetspot.Limiter) { p.history.limiters = list }

// Room sets how many points there may be in all.
func (p *Page) Room(points int) { p.history.room = points }

// Pass lets a step pass and measures.
func (p *Page) Pass() {
	if m := p.history.newest; m != nil {
		m.at = m.at.Add(-step)
	}
	_, _ = p.history.next(context.Background(), p.history.newest)
}

// Measure measures, while the wall clock says now.
func (p *Page) Measure(now time.Time) { p.history.measure(now) }

// Servers returns of how many servers a page knows.
func (p *Page) Servers() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.servers)
}

// Stream is what one reader gets.
type Stream struct{ s *stream }

func NewStream(p *Page, w http.ResponseWriter) Stream {
	return Stream{&stream{page: p, w: w, rc: http.NewResponseController(w)}}
}

// Tell sends the newest measurement.
func (s Stream) Tell() error { return s.s.tell(s.s.page.history.newest) }
