package grpclimit_test

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
	grpclimit "github.com/sweetspot-go/sweetspot/contrib/grpc"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

func gated(gate *grpclimit.Server) []grpc.ServerOption {
	return []grpc.ServerOption{grpc.ChainUnaryInterceptor(gate.Unary), grpc.ChainStreamInterceptor(gate.Stream)}
}

// until waits until f holds.
func until(t *testing.T, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !f(); {
		if time.Now().After(end) {
			t.Fatal("still not: " + what)
		}
		time.Sleep(time.Millisecond)
	}
}

func TestServerAdmitsAsManyAsPermits(t *testing.T) {
	const limit, calls = 3, 60
	l := setTo(sweetspot.New(), limit)
	var now, most, served atomic.Int64
	var full sync.WaitGroup // the first calls wait for each other
	full.Add(limit)
	conn := serve(t, &service{one: func(_ context.Context, in string) (string, error) {
		defer now.Add(-1)
		n := now.Add(1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		if served.Add(1) <= limit {
			full.Done()
			full.Wait()
		}
		return in, nil
	}}, gated(&grpclimit.Server{Limiter: l, Queue: calls, MaxWait: time.Minute}))
	var wg sync.WaitGroup
	for i := range calls {
		wg.Go(func() {
			if out, err := call(t.Context(), conn, fmt.Sprint(i)); err != nil || out != fmt.Sprint(i) {
				t.Errorf("call %d: %q, %v", i, out, err)
			}
		})
	}
	wg.Wait()
	if m := most.Load(); m != limit {
		t.Errorf("%d calls at a time, want %d", m, limit)
	}
	inFlight(t, l, 0, "in the end")
	if got := outcomes(l); got != [3]int64{calls, 0, 0} {
		t.Errorf("%v done, ignored, overloaded; want %d done", got, calls)
	}
}

func TestServerRefuses(t *testing.T) {
	for _, test := range []struct {
		name    string
		gate    *grpclimit.Server
		waiting int // that find room in the queue
		say     string
	}{
		{"a full queue", &grpclimit.Server{MaxWait: time.Minute}, 1, "full"},
		{"no queue", &grpclimit.Server{Queue: -1}, 0, "full"},
		{"half a queue", &grpclimit.Server{Queue: 0.5, MaxWait: time.Minute}, 1, "full"},
		{"waiting for too long", &grpclimit.Server{Queue: 5, MaxWait: time.Millisecond}, 0, "too long"},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := setTo(sweetspot.New(), 1)
			test.gate.Limiter = l
			release := make(chan struct{})
			handle := func() { <-release }
			conn := serve(t, &service{
				one:  func(_ context.Context, in string) (string, error) { handle(); return in, nil },
				many: func(grpc.ServerStream) error { handle(); return nil },
			}, gated(test.gate))
			var wg sync.WaitGroup
			for range 1 + test.waiting {
				wg.Go(func() {
					if _, err := call(t.Context(), conn, "x"); err != nil {
						t.Error(err)
					}
				})
			}
			until(t, "all are there", func() bool { s := l.Stats(); return s.InFlight == 1 && s.Waiting == test.waiting })

			check := func(kind string, err error, trailer metadata.MD) {
				t.Helper()
				if status.Code(err) != codes.ResourceExhausted || !strings.Contains(status.Convert(err).Message(), test.say) {
					t.Errorf("%s: error %v, want ResourceExhausted and %q", kind, err, test.say)
				}
				v := trailer.Get("grpc-retry-pushback-ms")
				if len(v) != 1 {
					t.Errorf("%s: pushback %q, want one", kind, v)
					return
				}
				if ms, err := strconv.Atoi(v[0]); err != nil || ms < 10 || ms >= 20_000 {
					t.Errorf("%s: pushback %q, want 10 to 19999", kind, v)
				}
			}
			var trailer metadata.MD
			_, err := call(t.Context(), conn, "x", grpc.Trailer(&trailer))
			check("unary", err, trailer)
			stream, err := conn.NewStream(t.Context(), manyDesc, many)
			if err != nil {
				t.Fatal(err)
			}
			err = stream.RecvMsg(new(message))
			check("stream", err, stream.Trailer())

			close(release)
			wg.Wait()
			inFlight(t, l, 0, "in the end")
			if got := outcomes(l); got != [3]int64{int64(1 + test.waiting), 0, 0} {
				t.Errorf("%v done, ignored, overloaded; refusals must not count", got)
			}
		})
	}
}

// A Queue without an end refuses nobody.
func TestServerEndlessQueue(t *testing.T) {
	for _, queue := range []float64{1e30, math.Inf(1)} {
		synctest.Test(t, func(t *testing.T) {
			l := setTo(sweetspot.New(), 1)
			gate := &grpclimit.Server{Limiter: l, Queue: queue, MaxWait: time.Hour}
			var wg sync.WaitGroup
			for range 10 {
				wg.Go(func() {
					if _, err := gate.Unary(t.Context(), nil, &grpc.UnaryServerInfo{}, works(time.Second)); err != nil {
						t.Errorf("%v: %v", queue, err)
					}
				})
			}
			wg.Wait()
		})
	}
}

// Those refused together are told different times, also where the queue would take
// longer than any of them is told.
func TestServerSpreadsTheRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit, refused = 100, 50
		l := setTo(sweetspot.New(), limit)
		gate := &grpclimit.Server{Limiter: l, Queue: -1}
		for range limit {
			l.TryAcquire()
		}
		l.Release()
		l.TryAcquire()
		time.Sleep(500 * time.Millisecond)
		if s := l.Stats(); s.Rate <= 0 || float64(s.InFlight)/s.Rate < 10 {
			t.Fatalf("%d in flight at a rate of %v: the queue is too short", s.InFlight, s.Rate)
		}
		told := make(map[int]bool)
		for range refused {
			s := &refusedStream{fakeStream: fakeStream{ctx: t.Context()}}
			if err := gate.Stream(nil, s, &grpc.StreamServerInfo{}, nil); status.Code(err) != codes.ResourceExhausted {
				t.Fatalf("error %v, want ResourceExhausted", err)
			}
			ms, err := strconv.Atoi(s.trailer.Get("grpc-retry-pushback-ms")[0])
			if err != nil || ms < 10_000 || ms >= 20_000 {
				t.Errorf("pushback %d ms, %v: want 10000 to 19999", ms, err)
			}
			told[ms] = true
		}
		if len(told) < refused/2 {
			t.Errorf("%d different times for %d calls refused together", len(told), refused)
		}
		for range limit {
			l.Release()
		}
	})
}

type refusedStream struct {
	fakeStream
	trailer metadata.MD
}

func (s *refusedStream) SetTrailer(m metadata.MD) { s.trailer = m }

// Who gives up while it waits is neither refused nor served.
func TestServerWaitEndsWithTheCall(t *testing.T) {
	l := setTo(sweetspot.New(), 1)
	u, _ := l.TryBegin()
	ended := make(chan error, 1)
	gate := &grpclimit.Server{Limiter: l, MaxWait: time.Minute}
	watch := func(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
		resp, err := gate.Unary(ctx, req, info, handler)
		ended <- err
		return resp, err
	}
	conn := serve(t, &service{one: echo}, []grpc.ServerOption{grpc.ChainUnaryInterceptor(watch)})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		until(t, "the call waits", func() bool { return l.Stats().Waiting == 1 })
		cancel()
	}()
	if _, err := call(ctx, conn, "x"); status.Code(err) != codes.Canceled {
		t.Errorf("error %v, want Canceled", err)
	}
	if err := <-ended; status.Code(err) != codes.Canceled {
		t.Errorf("the server says %v, want Canceled", err)
	}
	u.End(sweetspot.Ignored, 1)
	if _, err := call(t.Context(), conn, "x"); err != nil {
		t.Error(err)
	}
	<-ended
	inFlight(t, l, 0, "in the end")
}

func TestServerOutcomes(t *testing.T) {
	for code, want := range map[codes.Code]sweetspot.Outcome{
		codes.OK: sweetspot.Done, codes.NotFound: sweetspot.Done, codes.Aborted: sweetspot.Done,
		codes.Internal: sweetspot.Ignored, codes.Canceled: sweetspot.Ignored,
		codes.ResourceExhausted: sweetspot.Ignored, codes.Unavailable: sweetspot.Ignored, codes.DeadlineExceeded: sweetspot.Ignored,
	} {
		l := setTo(sweetspot.New(), 1)
		conn := serve(t, &service{
			one:  func(context.Context, string) (string, error) { return "", status.Error(code, "so") },
			many: func(grpc.ServerStream) error { return status.Error(code, "so") },
		}, gated(&grpclimit.Server{Limiter: l}))
		if _, err := call(t.Context(), conn, ""); status.Code(err) != code {
			t.Errorf("error %v, want %v", err, code)
		}
		stream, err := conn.NewStream(t.Context(), manyDesc, many)
		if err != nil {
			t.Fatal(err)
		}
		stream.RecvMsg(new(message))
		until(t, "both have ended", func() bool { return l.Stats().InFlight == 0 })
		var all [3]int64
		all[want] = 2
		if got := outcomes(l); got != all {
			t.Errorf("%v: %v done, ignored, overloaded; want %v", code, got, all)
		}
	}
}

func TestServerPanicGivesThePermitBack(t *testing.T) {
	l := setTo(sweetspot.New(), 1)
	gate := &grpclimit.Server{Limiter: l}
	for name, f := range map[string]func(){
		"unary": func() {
			gate.Unary(t.Context(), nil, &grpc.UnaryServerInfo{}, func(context.Context, any) (any, error) { panic("so") })
		},
		"stream": func() {
			gate.Stream(nil, fakeStream{ctx: t.Context()}, &grpc.StreamServerInfo{}, func(any, grpc.ServerStream) error { panic("so") })
		},
	} {
		func() {
			defer func() {
				if p := recover(); p != "so" {
					t.Errorf("%s: the panic is %v", name, p)
				}
			}()
			f()
		}()
		inFlight(t, l, 0, "after a panic")
	}
	if got := outcomes(l); got != [3]int64{0, 2, 0} {
		t.Errorf("%v done, ignored, overloaded; want 2 ignored", got)
	}
}

type fakeStream struct {
	grpc.ServerStream
	ctx context.Context
}

func (s fakeStream) Context() context.Context { return s.ctx }

// Calls of methods that do not exist must not take permits that nobody gives back.
func TestServerIsNotAskedForUnknownMethods(t *testing.T) {
	l := setTo(sweetspot.New(), 2)
	conn := serve(t, &service{one: echo, many: echoes}, gated(&grpclimit.Server{Limiter: l, MaxWait: time.Minute}))
	for i := range 50 {
		for _, method := range []string{"/test.S/Unknown", "/unknown.S/One", "malformed", "/", "/test.S"} {
			if err := conn.Invoke(t.Context(), method, wrapperspb.String("x"), new(message)); err == nil {
				t.Errorf("%s succeeded", method)
			}
		}
		if i%10 == 0 {
			if _, err := call(t.Context(), conn, "x"); err != nil {
				t.Fatal(err)
			}
		}
	}
	inFlight(t, l, 0, "in the end")
	if got := outcomes(l); got != [3]int64{5, 0, 0} {
		t.Errorf("%v done, ignored, overloaded; want 5 done", got)
	}
}

func TestServerSkips(t *testing.T) {
	l := setTo(sweetspot.New(), 1)
	u, _ := l.TryBegin()
	defer u.End(sweetspot.Ignored, 1)
	conn := serve(t, &service{one: echo, many: echoes}, gated(&grpclimit.Server{Limiter: l, Queue: -1,
		Skip: func(method string) bool { return method == one || method == many }}))
	if _, err := call(t.Context(), conn, "x"); err != nil {
		t.Error(err)
	}
	stream, err := conn.NewStream(t.Context(), manyDesc, many)
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.SendMsg(wrapperspb.String("x")); err != nil {
		t.Error(err)
	}
	if err := stream.RecvMsg(new(message)); err != nil {
		t.Error(err)
	}
}

func TestZeroServerServes(t *testing.T) {
	conn := serve(t, &service{one: echo}, gated(&grpclimit.Server{}))
	for range 20 {
		if out, err := call(t.Context(), conn, "x"); err != nil || out != "x" {
			t.Errorf("%q, %v", out, err)
		}
	}
}
