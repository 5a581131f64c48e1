package sqllimit

import (
	"context"
	"database/sql/driver"
	"errors"
	"slices"
	"sync"
	"time"
)

// A session is a connection of the driver, with what is known about it.
type session struct {
	driver.Conn
	began    time.Time
	rests    time.Time              // since when, if it does
	prepared map[string]driver.Stmt // that nobody uses now, by their text
}

// preparedKept is how many statements a session keeps prepared. Programs have
// some dozens; the server holds some kB for each.
const preparedKept = 100

// keep takes back a statement that is no longer used, so that preparing the same
// text again costs nothing.
func (s *session) keep(query string, st driver.Stmt) error {
	if _, twice := s.prepared[query]; twice {
		return st.Close()
	}
	var err error
	if len(s.prepared) == preparedKept {
		for q, old := range s.prepared { // any: the order of a map is as good as another
			delete(s.prepared, q)
			err = old.Close()
			break
		}
	}
	if s.prepared == nil {
		s.prepared = make(map[string]driver.Stmt)
	}
	s.prepared[query] = st
	return err
}

func (s *session) takePrepared(query string) driver.Stmt {
	st, ok := s.prepared[query]
	if !ok {
		return nil
	}
	delete(s.prepared, query)
	return st
}

// survives reports whether the connection can be used after a transaction whose
// context ended, by the rule of database/sql.
func (s *session) survives() bool {
	_, resets := s.Conn.(driver.SessionResetter)
	_, validates := s.Conn.(driver.Validator)
	return resets && validates
}

// sessions are those that rest, the one that rests longest first.
type sessions struct {
	mu       sync.Mutex
	list     []*session
	timer    *time.Timer // armed while any rest
	closed   bool
	idleTime time.Duration
	lifetime time.Duration // 0: no end
}

// close closes the statements first, as database/sql does: a driver need not close those that a
// connection leaves.
func (s *session) close() error {
	for _, st := range s.prepared {
		st.Close()
	}
	s.prepared = nil
	return s.Conn.Close()
}

// take returns the session that came last, so that those too many rest long
// enough to be closed, or nil if none rests.
func (p *sessions) take(ctx context.Context) (*session, error) {
	for {
		s := p.pop()
		if s == nil {
			return nil, nil
		}
		r, ok := s.Conn.(driver.SessionResetter)
		if !ok {
			return s, nil
		}
		// Errors other than this one are of no account to database/sql either.
		if err := r.ResetSession(ctx); !errors.Is(err, driver.ErrBadConn) {
			return s, nil
		}
		s.close()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
}

func (p *sessions) pop() *session {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.list)
	if n == 0 {
		return nil
	}
	s := p.list[n-1]
	p.list[n-1] = nil
	p.list = p.list[:n-1]
	return s
}

// put takes a session that is sound back to rest, or closes it if its time is over.
func (p *sessions) put(s *session) error {
	now := time.Now()
	p.mu.Lock()
	if p.closed || p.lifetime > 0 && now.Sub(s.began) >= p.lifetime {
		p.mu.Unlock()
		return s.close()
	}
	s.rests = now
	p.list = append(p.list, s)
	if p.timer == nil {
		p.timer = time.AfterFunc(p.wait(now), p.clean)
	}
	p.mu.Unlock()
	return nil
}

// wait returns the time until clean should look again: when the first has rested
// too long, but not more often than four times in the shorter of both times.
func (p *sessions) wait(now time.Time) time.Duration {
	if p.lifetime > 0 && p.lifetime < p.idleTime {
		return p.lifetime / 4
	}
	return max(p.idleTime-now.Sub(p.list[0].rests), p.idleTime/4)
}

// clean closes those that have rested or lived too long.
func (p *sessions) clean() {
	now := time.Now()
	var over []*session
	p.mu.Lock()
	p.list = slices.DeleteFunc(p.list, func(s *session) bool {
		late := now.Sub(s.rests) >= p.idleTime || p.lifetime > 0 && now.Sub(s.began) >= p.lifetime
		if late {
			over = append(over, s)
		}
		return late
	})
	p.timer = nil
	if len(p.list) > 0 && !p.closed {
		p.timer = time.AfterFunc(p.wait(now), p.clean)
	}
	p.mu.Unlock()
	for _, s := range over {
		s.close()
	}
}

// flush closes all that rest.
func (p *sessions) flush(forGood bool) error {
	p.mu.Lock()
	over := p.list
	p.list = nil
	if forGood {
		p.closed = true
		if p.timer != nil {
			p.timer.Stop()
			p.timer = nil
		}
	}
	p.mu.Unlock()
	var errs []error
	for _, s := range over {
		errs = append(errs, s.close())
	}
	return errors.Join(errs...)
}
