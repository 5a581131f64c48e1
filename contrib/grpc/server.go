package grpclimit

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/contrib/internal/adapter"
	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/peers"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"
)

// A Server admits only the best number of calls at a time. Its methods are
// interceptors; the zero Server is ready to use.
//
// A call that finds all permits in use waits, first come, first served, for at most
// MaxWait, if the queue has room. Otherwise it is refused with the code
// ResourceExhausted. The trailer grpc-retry-pushback-ms has the time after which it may
// be retried: once to twice the time that the queue will take, which counts as 10 s at
// most. A client of grpc-go whose retry policy names RESOURCE_EXHAUSTED waits for that
// long. A call whose context ends while it waits gets the context's code.
//
// The permit is given back when the handler returns, even if it panics or ends its goroutine;
// the panic goes on. A handler that waits for another call of the same Server may wait for
// itself.
//
// A Server must not be copied, and its fields must not be changed after the first call.
// It starts no goroutine and needs no Close. A call that is admitted at once costs
// about 0.15 µs, and allocates nothing.
type Server struct {
	// Limiter admits the calls. nil is a new one with [control.Latency], the law for
	// servers, in [control.Overload]:
	//
	//	sweetspot.New(sweetspot.Controller(control.NewOverload(control.NewLatency())))
	Limiter *sweetspot.Limiter

	// Queue is how many calls may wait, as a multiple of the limit; 1 if 0, and then a
	// call waits about as long as it is served. If it is negative, no call waits.
	Queue float64

	// MaxWait bounds the time that a call waits; 1 s if 0.
	MaxWait time.Duration

	// Skip says that calls of a method, such as "/grpc.health.v1.Health/Check", are
	// neither limited nor counted; nil skips none.
	Skip func(fullMethod string) bool

	// Classify says what became of a call by the error of its handler; nil is
	// [HandlerOutcome], to which it may also leave what it does not know. A handler that
	// returns Unavailable because what it depends on is overloaded can say so here, by
	// [sweetspot.Overloaded]. Classify is not asked about calls whose client did not wait for
	// the answer. That was its decision, and they are Ignored, with two exceptions. A unary
	// call is Overloaded if it reaches a deadline no shorter than calls take on average. It
	// counts as having reached it once 1/16 of the time is left, as the client may be the
	// first to cancel. Where most unary calls are not waited for, all such calls are
	// Overloaded. An interceptor that sets deadlines for the server belongs after this one.
	Classify func(error) sweetspot.Outcome

	// Peer names the client that a call comes from, such as a tenant; nil is the address of
	// the connection (of IPv6 its /56). An Overloaded counts as Ignored while peers that do at
	// least a tenth of the work have hardly any. A real overload reaches nearly all peers; a
	// few clients, or one with a hundred addresses, cannot imitate one. Set Peer behind a
	// proxy, where all calls come from one address. It is called where a call is Overloaded or
	// its client has gone, and for each that ends until a minute after the last Overloaded.
	Peer func(context.Context) string

	once    sync.Once
	l       *sweetspot.Limiter
	waiting atomic.Int64
	peers   peers.Watch
	usual   atomic.Int64 // mean time of unary calls that were done, ns
}

const (
	// usualOf is how many calls the usual time is a mean of, roughly.
	usualOf = 16
	// A call counts as having reached its deadline from 1/16 of the time left before it: a
	// client cancels it then, too, and messages do not all take the same time.
	nearly = 16
	// mostRoom is room for all, and an int64, which that of an infinite Queue is not.
	mostRoom = 1 << 62
	// defaultMaxWait is below the deadlines of most clients.
	defaultMaxWait = time.Second
	// leastPushback and mostPushback bound the time that a refusal takes the queue to
	// last, and asks for once to twice of: a queue that is empty in a millisecond may
	// be full again in another, and a rate may have been measured in bad times.
	leastPushback = 10 * time.Millisecond
	mostPushback  = 10 * time.Second
)

// pushbackKey is that of gRPC's retry design (gRFC A6).
const pushbackKey = "grpc-retry-pushback-ms"

var (
	errFull = status.Error(codes.ResourceExhausted, "sweetspot: too many calls at a time: the queue is full")
	errLate = status.Error(codes.ResourceExhausted, "sweetspot: too many calls at a time: waited for too long")
)

// Unary is a [grpc.UnaryServerInterceptor].
func (s *Server) Unary(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
	if s.Skip != nil && s.Skip(info.FullMethod) {
		return handler(ctx, req)
	}
	u, err := s.admit(ctx)
	if err != nil {
		if refused(err) {
			grpc.SetTrailer(ctx, s.pushback())
		}
		return nil, err
	}
	o := sweetspot.Ignored
	defer func() { u.End(o, 1) }()
	began := time.Now()
	resp, err := handler(ctx, req)
	took := time.Since(began)
	usual := s.usual.Load()
	if ctx.Err() != nil {
		end, has := ctx.Deadline() // took says little of what it left: not all handlers notice it
		left := end.Sub(began)
		reached := took >= left-left/nearly // whether ctx says so or not: the client cancels the call then, too
		o = s.unheard(ctx, took, has && reached && usual > 0 && int64(left) >= usual)
	} else {
		o = s.outcome(ctx, err, took)
	}
	if o == sweetspot.Done {
		if usual == 0 {
			usual = int64(took)
		}
		s.usual.Store(usual + (int64(took)-usual)/usualOf)
	}
	return resp, err
}

// Stream is a [grpc.StreamServerInterceptor]. The permit is held until the handler
// returns.
func (s *Server) Stream(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
	if s.Skip != nil && s.Skip(info.FullMethod) {
		return handler(srv, stream)
	}
	u, err := s.admit(stream.Context())
	if err != nil {
		if refused(err) {
			stream.SetTrailer(s.pushback())
		}
		return err
	}
	o := sweetspot.Ignored
	defer func() { u.End(o, 1) }()
	began := time.Now()
	err = handler(srv, stream)
	if err == nil || stream.Context().Err() == nil { // else it was the client's decision, as usual with streams
		o = s.outcome(stream.Context(), err, time.Since(began))
	}
	return err
}

// unheard says what became of a unary call whose client did not wait for the answer. Of a
// deadline that left less time than calls take, its client is the cause, and of one that left
// more, we are (late). Also where hardly any is waited for: if that did not count, a server
// at which all calls are late would never find that fewer at a time are not.
func (s *Server) unheard(ctx context.Context, took time.Duration, late bool) sweetspot.Outcome {
	peer := s.peer(ctx)
	counts := s.peers.InVain(peer, took)
	if late {
		counts = s.peers.Overloaded(peer, took) || counts
	}
	if counts {
		return sweetspot.Overloaded
	}
	return sweetspot.Ignored
}

// outcome says what became of a call whose handler has returned after so long. An overload
// that few peers have is Ignored.
func (s *Server) outcome(ctx context.Context, err error, took time.Duration) sweetspot.Outcome {
	o := adapter.Judge(s.Classify, HandlerOutcome, err)
	switch {
	case o == sweetspot.Overloaded && !s.peers.Overloaded(s.peer(ctx), took):
		return sweetspot.Ignored
	case o == sweetspot.Done && s.peers.On():
		s.peers.Done(s.peer(ctx), took)
	}
	return o
}

func (s *Server) peer(ctx context.Context) string {
	if s.Peer != nil {
		return s.Peer(ctx)
	}
	if p, ok := peer.FromContext(ctx); ok && p.Addr != nil {
		return peers.Of(p.Addr.String())
	}
	return ""
}

// admit takes a permit, or returns the status to refuse the call with.
func (s *Server) admit(ctx context.Context) (sweetspot.Unit, error) {
	s.once.Do(s.init)
	u, ok := s.l.TryBegin()
	if ok {
		return u, nil
	}
	defer s.waiting.Add(-1)
	if s.waiting.Add(1) > s.room() {
		return u, errFull
	}
	wait, cancel := context.WithTimeout(ctx, cmp.Or(max(s.MaxWait, 0), defaultMaxWait))
	defer cancel()
	if u, err := s.l.Begin(wait); err == nil {
		return u, nil
	}
	if err := ctx.Err(); err != nil {
		return u, status.FromContextError(err).Err()
	}
	return u, errLate
}

func (s *Server) init() {
	s.l = s.Limiter
	if s.l == nil {
		s.l = sweetspot.New(sweetspot.Controller(control.NewOverload(control.NewLatency())))
	}
}

// room returns how many calls may wait.
func (s *Server) room() int64 {
	if s.Queue < 0 {
		return 0
	}
	return max(1, int64(min(cmp.Or(s.Queue, 1)*float64(s.l.Limit()), mostRoom)))
}

func refused(err error) bool { return errors.Is(err, errFull) || errors.Is(err, errLate) }

// pushback returns the trailer of a refusal.
func (s *Server) pushback() metadata.MD {
	d := leastPushback
	if st := s.l.Stats(); st.Rate > 0 {
		drained := time.Duration(min(float64(st.Waiting+st.InFlight)/st.Rate, mostPushback.Seconds()) * float64(time.Second))
		d = max(d, drained)
	}
	d += rand.N(d) // so that those refused together do not come together
	return metadata.Pairs(pushbackKey, strconv.FormatInt(d.Milliseconds(), 10))
}
