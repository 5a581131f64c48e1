package httplimit

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/peers"
)

// A Server admits no more requests to a handler at a time than it does well with,
// and finds that number by itself. The zero Server is ready to use:
//
//	var s httplimit.Server
//	http.ListenAndServe(addr, s.Wrap(handler))
//
// A request that finds all permits in use waits, in first-come order, if there is
// room in the queue, and else is refused at once: an early no is worth more to a
// client than a late one, and costs the server next to nothing. The queue holds
// twice as many as the limit, so that they wait at most about twice as long as they
// are then served. That evens out arrivals that come in bursts. Where more come than
// can be served a full queue would only make everybody wait: while fewer than a quarter
// of the requests find a free permit only a sixteenth of it is used. Nobody waits longer than MaxWait.
//
// A refused request is answered with Status and a Retry-After, between RetryAfter
// and twice as long so that clients do not return at the same time.
//
// The permit is given back when the handler returns, also if it panics
// ([http.ErrAbortHandler] included) or ends its goroutine; the panic goes on. It is
// given back earlier, and teaches the Limiter nothing, where a response is not an answer
// to wait for:
//
//   - when the connection is hijacked, as by websockets, or switches protocols (101);
//   - when an event stream begins: a response with the Content-Type
//     text/event-stream.
//
// From then on they are not counted; bound them yourself. Other requests that wait
// for something to happen (long polls) hold a permit for nothing, and make the Limiter
// believe that requests take long: let Priority exempt them, or give them a Server of
// their own. The same goes for health checks, which must not be refused.
//
// Requests that are refused here cost the client a round trip. Let only one Server
// see a request: one in another, with the same Limiter, would wait for itself.
//
// The ResponseWriter that the handler gets has the methods of the one below it:
// Flush, Hijack, Push and ReadFrom, and Unwrap for an [http.ResponseController], by
// which it also finds Flush and Hijack further below. One that can push has no ReadFrom.
// It has no CloseNotify.
//
// A Server must not be copied, and its fields must not be changed after the first
// Wrap. It starts no goroutine and needs no Close. It costs some 0.2 to 0.5 µs and
// one allocation a request that is admitted at once.
type Server struct {
	// Limiter admits the requests. nil is a new one with [control.Latency], the law
	// for servers, in [control.Overload]:
	//
	//	sweetspot.New(sweetspot.Controller(control.NewOverload(control.NewLatency())))
	//
	// Give one with a [sweetspot.Name] to see it on pages and in metrics, or whose
	// law has a Target to keep.
	Limiter *sweetspot.Limiter

	// Queue is how many requests may wait, in parts of the limit; 2 if 0. None may
	// wait if it is negative.
	Queue float64

	// MaxWait bounds the time that a request waits; 1 s if 0.
	MaxWait time.Duration

	// Priority says how important a request is; nil is [Normal] for all. It is
	// called once for each request, before anything else, and should be quick.
	Priority func(*http.Request) Priority

	// Classify says what became of a request whose handler has returned, from the
	// status of its response. nil is [StatusOutcome], to which it may also leave
	// what it does not know. A handler that answers 503 because what it depends on is
	// overloaded can say so here, by [sweetspot.Overloaded]. Classify is not asked about
	// requests whose context has ended: a deadline that has passed is Overloaded, as HTTP
	// knows none of clients (let no header of theirs set one), and the rest is Ignored. But
	// where most clients hang up before they are answered, that is Overloaded.
	Classify func(r *http.Request, status int) sweetspot.Outcome

	// Peer names the client that a request comes from, such as a tenant; nil is the
	// address of the connection (of IPv6 its /56). An Overloaded counts as Ignored while
	// peers that do at least a tenth of the work have hardly any: what overloads the server
	// reaches nearly all, and a few clients, or one with a hundred addresses, cannot make
	// it look so. Set Peer behind a proxy, where all requests come from one address. It is
	// called where a request is Overloaded or its client hangs up, and for each that ends
	// until a minute after the last Overloaded.
	Peer func(*http.Request) string

	// Status is that of a refusal; 503 Service Unavailable if 0. 429 Too Many
	// Requests says that it is the client who asks for too much.
	Status int

	// RetryAfter is the least that a Retry-After tells to wait; 1 s if 0. It is
	// rounded up to seconds.
	RetryAfter time.Duration

	// Refuse answers a request that is refused. The header has a Retry-After
	// then, and the status is Status unless it writes another. nil answers with a
	// line of text.
	Refuse http.Handler

	once  sync.Once
	l     *sweetspot.Limiter
	door  door
	peers peers.Watch
}

// defaultMaxWait is about what a person waits without wondering, and below the
// deadlines of most clients.
const defaultMaxWait = time.Second

// Wrap returns next behind the Server. As a method value it is what routers call a
// middleware. Several handlers that are wrapped by one Server share its limit. It
// panics if next is nil.
func (s *Server) Wrap(next http.Handler) http.Handler {
	if next == nil {
		panic("httplimit: Server.Wrap(nil): want a handler")
	}
	s.init()
	return &admitted{s, next}
}

func (s *Server) init() {
	s.once.Do(func() {
		s.l = s.Limiter
		if s.l == nil {
			s.l = sweetspot.New(sweetspot.Controller(control.NewOverload(control.NewLatency())))
		}
		s.door.began = time.Now()
		s.door.next.Store(int64(lookEvery))
	})
}

// admitted is a handler behind a Server.
type admitted struct {
	s    *Server
	next http.Handler
}

func (a *admitted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s, p := a.s, Normal
	if s.Priority != nil {
		p = s.Priority(r)
	}
	if p >= Exempt {
		s.door.exempt.Add(1)
		a.next.ServeHTTP(w, r)
		return
	}
	u, ok := s.enter(r.Context(), p)
	if !ok {
		s.refuse(w, r)
		return
	}
	t := &response{ResponseWriter: w, ctx: r.Context(), unit: u}
	o := sweetspot.Ignored
	defer func() { t.release(o) }()
	var began time.Time
	if s.peers.On() {
		began = time.Now()
	}
	a.next.ServeHTTP(t.as(), r)
	if !t.over.Load() {
		o = s.bounded(r, t, began)
	}
}

// enter takes a permit for a request, and reports whether it did.
func (s *Server) enter(ctx context.Context, p Priority) (sweetspot.Unit, bool) {
	d := &s.door
	if u, ok := s.l.TryBegin(); ok {
		d.free.Add(1)
		return u, true
	}
	d.held.Add(1)
	if d.waiting.Add(1) > d.room(s, p) {
		d.waiting.Add(-1)
		d.full.Add(1)
		return sweetspot.Unit{}, false
	}
	defer d.waiting.Add(-1)
	wait := s.MaxWait
	if wait <= 0 {
		wait = defaultMaxWait
	}
	ctx, cancel := context.WithTimeoutCause(ctx, wait, errLate)
	defer cancel()
	u, err := s.l.Begin(ctx)
	switch {
	case err == nil:
		d.waited.Add(1)
		return u, true
	case errors.Is(err, errLate):
		d.late.Add(1)
	default:
		d.gone.Add(1)
	}
	return sweetspot.Unit{}, false
}

var errLate = errors.New("httplimit: no permit within MaxWait")

// outcome says what became of a request whose handler has returned.
func (s *Server) outcome(r *http.Request, status int) sweetspot.Outcome {
	if err := r.Context().Err(); err != nil {
		// Nobody got the answer. Clients of HTTP cannot set a deadline: this one is ours.
		return errorOutcome(err)
	}
	if status == 0 {
		status = http.StatusOK
	}
	if s.Classify == nil {
		return StatusOutcome(status)
	}
	o := s.Classify(r, status)
	if o > sweetspot.Overloaded {
		panic(fmt.Sprintf("httplimit: Server.Classify returned %d: want Done, Ignored or Overloaded", o))
	}
	return o
}

// bounded returns what became of a request, also beside those of other peers: Ignored for an
// overload that few have, and Overloaded where hardly any client waits for its answer.
func (s *Server) bounded(r *http.Request, t *response, began time.Time) sweetspot.Outcome {
	o := s.outcome(r, t.status)
	switch {
	case o == sweetspot.Overloaded:
		if !s.peers.Overloaded(s.peer(r), since(began)) {
			return sweetspot.Ignored
		}
	case t.unheard():
		if s.peers.InVain(s.peer(r), since(began)) {
			return sweetspot.Overloaded
		}
	case o == sweetspot.Done && !began.IsZero():
		s.peers.Done(s.peer(r), time.Since(began))
	}
	return o
}

// since returns the time since began, 0 if that is the zero time.
func since(began time.Time) time.Duration {
	if began.IsZero() {
		return 0
	}
	return time.Since(began)
}

func (s *Server) peer(r *http.Request) string {
	if s.Peer == nil {
		return peers.Of(r.RemoteAddr)
	}
	return s.Peer(r)
}

// StatusOutcome says what became of a request, from the status that a handler
// answered with: 429 and every status from 500 on are [sweetspot.Ignored], and the rest
// are [sweetspot.Done].
//
// None is [sweetspot.Overloaded]. [ResponseOutcome] takes 429 and 503 for signs of
// overload because the client can send less. To the server they are answers to one
// client, such as a tenant over its quota, and for them all others would get less.
func StatusOutcome(status int) sweetspot.Outcome {
	if status == http.StatusTooManyRequests || status >= http.StatusInternalServerError {
		return sweetspot.Ignored // quick, and without work: it must not look fast
	}
	return sweetspot.Done
}

// ServerStats counts what became of requests, since the first Wrap.
type ServerStats struct {
	Admitted int64 // got a permit, at once or after a wait
	Waited   int64 // of these, those that waited
	Full     int64 // refused at once: no room in the queue
	Late     int64 // refused after MaxWait
	Gone     int64 // whose client went away, or whose deadline passed, while they waited
	Exempt   int64 // of priority [Exempt]
	Waiting  int   // now
}

// Stats returns the present figures. What runs, and how, is known to the Limiter.
func (s *Server) Stats() ServerStats {
	d := &s.door
	waited := d.waited.Load()
	return ServerStats{
		Admitted: d.free.Load() + waited, Waited: waited,
		Full: d.full.Load(), Late: d.late.Load(), Gone: d.gone.Load(),
		Exempt: d.exempt.Load(), Waiting: int(d.waiting.Load()),
	}
}
