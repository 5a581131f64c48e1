package httplimit

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/internal/pause"
)

const (
	// With defaultMaxHosts, the Limiters of a crawler take some 16 MB once they have
	// learnt; other programs have few.
	defaultMaxHosts = 1000
	// defaultIdleTimeout is long against a search and short against the life of
	// what it found.
	defaultIdleTimeout = 10 * time.Minute
)

// A host is what is known of one host.
type host struct {
	name    string
	limiter *sweetspot.Limiter // nil: none is wanted
	epoch   time.Time
	users   atomic.Int64 // attempts that wait or are under way
	left    atomic.Int64 // when the last of them and the pauses they caused end, since epoch
	pause   *pause.Pause
	ceiling ceiling
}

func (h *host) now() time.Duration { return time.Since(h.epoch) }

// rest takes note that an attempt ends now. While h pauses it is not idle: only h knows that
// nothing is to be sent. Each pause is seen by the attempt that was refused.
func (h *host) rest(now time.Duration) {
	until := int64(now + h.pause.Left())
	for left := h.left.Load(); until > left && !h.left.CompareAndSwap(left, until); left = h.left.Load() {
		// Another attempt ends at the same time, and may have seen a longer pause.
	}
}

// hosts are the hosts remembered. The zero hosts are ready to use.
type hosts struct {
	mu     sync.RWMutex
	byName map[string]*host
	epoch  time.Time
	swept  atomic.Int64 // when those that were idle for long were last looked for
}

// enter returns the host of that name, which is not forgotten before the
// matching call of leave.
func (s *hosts) enter(t *Transport, name string) *host {
	s.mu.RLock()
	h := s.byName[name]
	first := false
	if h != nil {
		first = h.users.Add(1) == 1
	}
	s.mu.RUnlock()
	if h != nil && !(first && h.stale(t)) {
		return h
	}
	s.mu.Lock()
	if h != nil {
		h.users.Add(-1)
	}
	h = s.known(t, name)
	if h == nil && t.NewLimiter == nil {
		h = s.add(t, name, sweetspot.New(sweetspot.Name(name)))
	}
	s.mu.Unlock()
	if h != nil {
		return h
	}
	l := t.NewLimiter(name) // without the lock: it may ask for the Limiters there are
	s.mu.Lock()
	defer s.mu.Unlock()
	if h = s.known(t, name); h == nil {
		h = s.add(t, name, l)
	}
	return h
}

// stale reports whether what is known of h is too old.
func (h *host) stale(t *Transport) bool {
	return h.now()-time.Duration(h.left.Load()) > orDefault(t.IdleTimeout, defaultIdleTimeout)
}

// known returns the host of that name, entered, or nil if there is none or it is stale.
func (s *hosts) known(t *Transport, name string) *host {
	h := s.byName[name]
	if h == nil || h.users.Load() == 0 && h.stale(t) {
		return nil
	}
	h.users.Add(1)
	return h
}

// add returns a new host of that name, entered.
func (s *hosts) add(t *Transport, name string, l *sweetspot.Limiter) *host {
	if s.byName == nil {
		s.byName, s.epoch = make(map[string]*host), time.Now()
	}
	s.forget(t, 1)
	h := &host{name: name, limiter: l, epoch: s.epoch, pause: pause.New()}
	h.left.Store(int64(h.now()))
	h.users.Add(1)
	s.byName[name] = h
	return h
}

// forget drops the hosts that were idle for too long. If that does not make room for the given
// number of further hosts, it also drops those that were idle for longest.
func (s *hosts) forget(t *Transport, more int) {
	s.swept.Store(int64(time.Since(s.epoch)))
	var oldest *host
	for name, h := range s.byName {
		switch {
		case h.users.Load() > 0:
		case h.stale(t):
			delete(s.byName, name)
		default:
			if oldest == nil || h.left.Load() < oldest.left.Load() {
				oldest = h
			}
		}
	}
	switch over := len(s.byName) + more - orDefault(t.MaxHosts, defaultMaxHosts); {
	case over <= 0 || oldest == nil:
	case over == 1: // as for nearly each new host: to sort would take longer than all the rest
		delete(s.byName, oldest.name)
	default:
		s.shrink(over)
	}
}

// shrink drops n idle hosts, those that were idle for longest. Hosts in use are not bounded, so
// after a burst thousands may be too many.
func (s *hosts) shrink(n int) {
	var idle []*host
	for _, h := range s.byName {
		if h.users.Load() == 0 {
			idle = append(idle, h)
		}
	}
	slices.SortFunc(idle, func(a, b *host) int { return cmp.Compare(a.left.Load(), b.left.Load()) })
	for _, h := range idle[:min(n, len(idle))] {
		delete(s.byName, h.name)
	}
}

// leave ends what enter began. Now and then it also looks for hosts to forget,
// because no timer does.
func (s *hosts) leave(t *Transport, h *host) {
	now := h.now()
	h.rest(now)
	h.users.Add(-1)
	swept := s.swept.Load()
	if now-time.Duration(swept) < orDefault(t.IdleTimeout, defaultIdleTimeout) || !s.swept.CompareAndSwap(swept, int64(now)) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(t, 0)
}

func (s *hosts) limiter(name string) *sweetspot.Limiter {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if h := s.byName[name]; h != nil {
		return h.limiter
	}
	return nil
}

// hostOf names the host of u. The scheme does not matter, because the same
// machine, or set of machines, does the work.
func hostOf(u *url.URL) string {
	host := u.Host
	switch u.Scheme {
	case "http":
		host = strings.TrimSuffix(host, ":80")
	case "https":
		host = strings.TrimSuffix(host, ":443")
	}
	return strings.ToLower(host) // which allocates nothing where there is no upper case
}
