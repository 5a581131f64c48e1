package dash

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"time"
	"weak"
)

const (
	// patience is how long one event may take to be sent. A reader that hangs is
	// let go, and comes back if it lives.
	patience = 30 * time.Second
	// farewell is how long the event under way may take when the server shuts down.
	farewell = time.Second
	// comeBack is when browsers try again after a stream has broken, in ms.
	comeBack = 1000
)

func (p *Page) serveEvents(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := p.untilShutdown(r)
	defer cancel()
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no") // nginx would hold events back
	if r.Method == http.MethodHead {
		return
	}
	s := &stream{page: p, w: w, rc: http.NewResponseController(w), wanted: r.URL.Query().Get("limiter")}
	if err := s.rc.Flush(); errors.Is(err, http.ErrNotSupported) {
		http.Error(w, "sweetspot: a stream of events needs a writer that can be flushed; a middleware hides it", http.StatusNotImplemented)
		return
	}
	// The timeouts of a server are for requests that end. Some writers have none.
	_ = s.rc.SetReadDeadline(time.Time{})
	_ = s.rc.SetWriteDeadline(time.Now().Add(patience))
	if _, err := fmt.Fprintf(w, "retry: %d\n\n", comeBack); err != nil {
		return
	}
	hurried := make(chan struct{})
	hurry := context.AfterFunc(ctx, func() { // a reader that hangs does not hold up a shutdown
		defer close(hurried)
		_ = s.rc.SetWriteDeadline(time.Now().Add(farewell))
	})
	defer func() {
		if !hurry() {
			<-hurried // the writer is not to be used later
		}
	}()
	var m *moment
	for {
		var err error
		if m, err = p.history.next(ctx, m); err != nil {
			return
		}
		_ = s.rc.SetWriteDeadline(time.Now().Add(patience))
		if ctx.Err() != nil { // the deadline for that may have been set before
			_ = s.rc.SetWriteDeadline(time.Now().Add(farewell))
			return
		}
		if s.tell(m) != nil {
			return // the reader is gone
		}
	}
}

// A stream is what one reader gets.
type stream struct {
	page   *Page
	w      http.ResponseWriter
	rc     *http.ResponseController
	wanted string  // the id, "" for the first
	shown  *series // whose history was sent
	told   int64   // decisions of shown that were sent
}

// tell sends what is new at a moment.
func (s *stream) tell(m *moment) error {
	if err := s.send("limiters", m.seq, s.page.overview(m)); err != nil {
		return err
	}
	if kind, data := s.detail(); data != nil {
		if err := s.send(kind, m.seq, data); err != nil {
			return err
		}
	}
	return s.rc.Flush()
}

// detail returns what is new of the Limiter that the reader looks at.
func (s *stream) detail() (kind string, data []byte) {
	h := s.page.history
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.find(s.wanted)
	switch {
	case now == nil:
		return "", nil
	case now != s.shown:
		s.wanted, s.shown, s.told = now.id, now, now.ledger.total
		return "history", h.account(now)
	case now.ledger.total == s.told:
		return "", nil
	}
	c := now.ledger.after(now.of.Value(), s.told)
	s.told = now.ledger.total
	return "changes", news(now.id, c)
}

func (s *stream) send(kind string, id int64, data []byte) error {
	_, err := fmt.Fprintf(s.w, "event: %s\nid: %d\ndata: %s\n\n", kind, id, data)
	return err
}

var errShutdown = errors.New("sweetspot: the server shuts down")

// untilShutdown returns the context of a request, cancelled as well when its
// server shuts down: Shutdown waits for requests, and a stream has no end.
func (p *Page) untilShutdown(r *http.Request) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(r.Context())
	forget := func() bool { return true }
	if server, _ := r.Context().Value(http.ServerContextKey).(*http.Server); server != nil {
		forget = context.AfterFunc(p.life(server), func() { cancel(errShutdown) })
	}
	return ctx, func() {
		forget()
		cancel(nil)
	}
}

// life returns a context that is done when a server shuts down.
func (p *Page) life(server *http.Server) context.Context {
	key := weak.Make(server)
	p.mu.Lock()
	defer p.mu.Unlock()
	life := p.servers[key]
	if life == nil {
		var end context.CancelFunc
		life, end = context.WithCancel(context.Background())
		p.servers[key] = life
		server.RegisterOnShutdown(end)
		// Close, and a Serve that fails, tell nobody, and a request may get here from a
		// middleware after Shutdown: a server goes with the garbage.
		runtime.AddCleanup(server, func(key weak.Pointer[http.Server]) {
			p.mu.Lock()
			delete(p.servers, key)
			p.mu.Unlock()
			end()
		}, key)
	}
	return life
}
