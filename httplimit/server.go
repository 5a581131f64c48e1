package httplimit

import (
	"cmp"
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

// A Server admits only the best number of requests to a handler at a time, and finds
// that number by itself. The zero Server is ready to use:
//
//	var s httplimit.Server
//	http.ListenAndServe(addr, s.Wrap(handler))
//
// A request that finds all permits in use waits, first come, first served, if the queue
// has room. Otherwise it is refused at once: an early refusal helps a client more than a
// late one, and costs the server almost nothing. The queue holds twice as many requests
// as the limit, so a request waits at most about twice as long as it is then served.
// That smooths bursts of arrivals. If more arrive than can be served, a full queue would
// only delay everyone. So while fewer than a quarter of the requests find a free permit,
// and the queue cannot hold all the others, only a sixteenth of it is used. No request
// waits longer than MaxWait.
//
// A refused request is answered with Status and a Retry-After, between RetryAfter and
// twice as long, so that clients do not return at the same time. Some clients do not
// heed it and ask again at once. So that refusals do not take the CPUs from answers, 250
// a second for each CPU are answered at once. Beyond that a refused request of HTTP/1 is
// held until its turn comes at that pace, at most for Hold. If a permit comes free
// meanwhile, and no request waits in the queue, the newest held request is admitted,
// within 0.1 s. A held request takes memory, about 20 kB, and 4096 are held at most.
//
// The permit is given back when the handler returns, even if it panics
// ([http.ErrAbortHandler] included) or ends its goroutine; the panic goes on. If a
// response is not an answer to wait for, the permit is given back earlier, and teaches
// the Limiter nothing:
//
//   - when the connection is hijacked, as by websockets, or switches protocols (101);
//   - when an event stream begins: a response with the Content-Type text/event-stream.
//
// From then on they are not counted; bound them yourself. Other requests that wait for
// an event (long polls) hold a permit while they do nothing, and make requests look
// slow. Let Priority exempt them, or give them a Server of their own. Exempt health
// checks, too, because they must not be refused.
//
// A refused request costs the client a round trip. Let only one Server see a request:
// one inside another, with the same Limiter, would wait for itself.
//
// The ResponseWriter that the handler gets has the methods of the one below it: Flush,
// Hijack and ReadFrom. Its Unwrap lets an [http.ResponseController] find Flush and
// Hijack further below. It has neither Push nor CloseNotify.
//
// A Server must not be copied, and its fields must not be changed after the first Wrap.
// It starts no goroutine and needs no Close. A request that is admitted at once costs
// about 0.2 to 0.5 µs and one allocation.
type Server struct {
	// Limiter admits the requests. nil is a new one with [control.Latency], the law for
	// servers, in [control.Overload]:
	//
	//	sweetspot.New(sweetspot.Controller(control.NewOverload(control.NewLatency())))
	//
	// Set a Limiter with a [sweetspot.Name] to see it on pages and in metrics.
	Limiter *sweetspot.Limiter

	// MaxP99 is the [sweetspot.MaxP99] of the new Limiter: 99 in 100 requests take no
	// longer in the handler, if any number of requests at a time can bring that. 0 is
	// none. MaxWait bounds the wait before. Wrap panics if there is a Limiter as well.
	MaxP99 time.Duration

	// Queue is how many requests may wait, as a multiple of the limit; 2 if 0. If it is
	// negative, no request waits.
	Queue float64

	// MaxWait bounds the time that a request waits; 1 s if 0.
	MaxWait time.Duration

	// Priority says how important a request is; nil is [Normal] for all. It is called
	// once for each request, before anything else, and should be quick.
	Priority func(*http.Request) Priority

	// Classify returns the outcome of a request whose handler has returned, from the
	// status of its response. nil is [StatusOutcome], to which it may also pass unknown
	// statuses. If a handler answers 503 because a service behind it is overloaded,
	// return [sweetspot.Overloaded] here. Classify is not called for requests whose
	// context has ended. A deadline that has passed is Overloaded, because HTTP clients
	// cannot set one (do not let a header of theirs set one); the rest is Ignored. But
	// if most clients hang up before they are answered, that is Overloaded.
	Classify func(r *http.Request, status int) sweetspot.Outcome

	// Peer names the client that a request comes from, such as a tenant; nil is the
	// address of the connection (of IPv6 its /56). An Overloaded counts as Ignored
	// while peers that do at least a tenth of the work have hardly any. A real overload
	// reaches nearly all peers; a few clients, or one with a hundred addresses, cannot
	// imitate one. Set Peer behind a proxy, where all requests come from one address.
	// It is called if a request is Overloaded or its client hangs up, and for each
	// request that ends until a minute after the last Overloaded.
	Peer func(*http.Request) string

	// Status is that of a refusal; 503 Service Unavailable if 0. 429 Too Many Requests
	// says that the client asks for too much.
	Status int

	// RetryAfter is the least Retry-After of a refusal; 1 s if 0. It is rounded up to
	// seconds.
	RetryAfter time.Duration

	// Hold bounds the time that a request is held before it is refused; RetryAfter if
	// 0. If it is negative, all refusals are answered at once. A Shutdown of the http.Server waits for held
	// requests as for others.
	Hold time.Duration

	// Refuse answers a refused request. The header then has a Retry-After, and the
	// status is Status unless Refuse writes another. nil answers with a line of text.
	Refuse http.Handler

	once  sync.Once
	l     *sweetspot.Limiter
	door  door
	peers peers.Watch
}

// defaultMaxWait is about what a person waits without wondering, and below the
// deadlines of most clients.
const defaultMaxWait = time.Second

// Wrap returns next behind the Server. As a method value it is a middleware for
// routers. Several handlers wrapped by one Server share its limit. It panics if next is
// nil.
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
		switch law := sweetspot.Controller(control.NewOverload(control.NewLatency())); {
		case s.l != nil && s.MaxP99 != 0:
			panic("httplimit: a Server with both a Limiter and MaxP99: give sweetspot.MaxP99 to the Limiter instead")
		case s.l == nil && s.MaxP99 != 0:
			s.l = sweetspot.New(law, sweetspot.MaxP99(s.MaxP99))
		case s.l == nil:
			s.l = sweetspot.New(law)
		}
		s.door.began = time.Now()
		s.door.next.Store(int64(lookEvery))
		s.door.refusal.Store(-int64(refusalBurst))
	})
}

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
	u, ok := s.enter(r, p)
	if !ok {
		s.refuse(w, r)
		return
	}
	t := &response{ResponseWriter: w, s: s, ctx: r.Context(), unit: u}
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
func (s *Server) enter(r *http.Request, p Priority) (sweetspot.Unit, bool) {
	d := &s.door
	if u, ok := s.l.TryBegin(); ok {
		d.free.Add(1)
		if d.lot.offered.Load() > 0 { // it was free only because the request that it was offered to has yet to run
			d.overtook.Add(1)
		}
		return u, true
	}
	d.held.Add(1)
	if d.waiting.Add(1) > d.room(s, p) {
		d.waiting.Add(-1)
		u, ok := s.hold(r)
		switch {
		case ok:
			d.waited.Add(1)
		case r.Context().Err() != nil:
			d.gone.Add(1)
		default:
			d.full.Add(1)
		}
		return u, ok
	}
	defer d.waiting.Add(-1)
	d.crowd()
	ctx, cancel := context.WithTimeoutCause(r.Context(), orDefault(s.MaxWait, defaultMaxWait), errLate)
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
		// The answer reached no client. Clients of HTTP cannot set a deadline: this one is ours.
		return errorOutcome(err)
	}
	status = cmp.Or(status, http.StatusOK)
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
	o := s.outcome(r, int(t.status))
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

// StatusOutcome maps the status of a handler's answer to an outcome: 429 and every
// status from 500 on are [sweetspot.Ignored], and the rest are [sweetspot.Done].
//
// None is [sweetspot.Overloaded]. For [ResponseOutcome] 429 and 503 mean overload
// because the client can send less. To the server they are answers to one client, such
// as a tenant over its quota, and must not take anything from the others.
func StatusOutcome(status int) sweetspot.Outcome {
	if status == http.StatusTooManyRequests || status >= http.StatusInternalServerError {
		return sweetspot.Ignored // quick, and without work: it must not look fast
	}
	return sweetspot.Done
}

// ServerStats counts the results of requests since the first Wrap.
type ServerStats struct {
	Admitted int64 // got a permit, at once or after a wait
	Waited   int64 // of these, those that waited
	Full     int64 // refused: no room in the queue
	Late     int64 // refused after MaxWait
	Gone     int64 // whose client went away, or whose deadline passed, while they waited
	Exempt   int64 // of priority [Exempt]
	Waiting  int   // now
	Held     int   // now, instead of a refusal
}

// Stats returns the present figures. The Limiter has those of the running requests.
func (s *Server) Stats() ServerStats {
	d := &s.door
	waited := d.waited.Load()
	return ServerStats{
		Admitted: d.free.Load() + waited, Waited: waited,
		Full: d.full.Load(), Late: d.late.Load(), Gone: d.gone.Load(),
		Exempt: d.exempt.Load(), Waiting: int(d.waiting.Load()), Held: int(d.lot.n.Load()),
	}
}
