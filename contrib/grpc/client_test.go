package grpclimit_test

import (
	"context"
	"errors"
	"io"
	"slices"
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
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

func limited(c *grpclimit.Client) []grpc.DialOption {
	return []grpc.DialOption{grpc.WithChainUnaryInterceptor(c.Unary), grpc.WithChainStreamInterceptor(c.Stream)}
}

func TestClientMakesAsManyCallsAsPermits(t *testing.T) {
	const limit, calls = 3, 60
	l := setTo(sweetspot.New(), limit)
	var mu sync.Mutex
	now, most, served := 0, 0, 0
	full := make(chan struct{}) // the first calls wait for each other
	conn := serve(t, &service{one: func(_ context.Context, in string) (string, error) {
		mu.Lock()
		now, served = now+1, served+1
		most = max(most, now)
		if served == limit {
			close(full)
		}
		mu.Unlock()
		<-full
		mu.Lock()
		now--
		mu.Unlock()
		return in, nil
	}}, nil, limited(&grpclimit.Client{Limiter: l})...)
	var wg sync.WaitGroup
	for range calls {
		wg.Go(func() {
			if _, err := call(t.Context(), conn, "x"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if most != limit {
		t.Errorf("%d calls at a time, want %d", most, limit)
	}
	inFlight(t, l, 0, "in the end")
	if got := outcomes(l); got != [3]int64{calls, 0, 0} {
		t.Errorf("%v done, ignored, overloaded; want %d done", got, calls)
	}
}

// A call inside a unit of the Client's Limiter does not wait for itself.
func TestUnitCoversItsCalls(t *testing.T) {
	l := setTo(sweetspot.New(), 1)
	conn := serve(t, &service{one: echo, many: echoes}, nil, limited(&grpclimit.Client{Limiter: l})...)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	err := l.Do(ctx, func(ctx context.Context) error {
		if _, err := call(ctx, conn, "x"); err != nil {
			return err
		}
		stream, err := conn.NewStream(ctx, manyDesc, many)
		if err != nil {
			return err
		}
		stream.CloseSend()
		if err := stream.RecvMsg(new(message)); err != io.EOF {
			t.Errorf("error %v, want EOF", err)
		}
		inFlight(t, l, 1, "in the unit")
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	inFlight(t, l, 0, "after it")
	if got := outcomes(l); got != [3]int64{1, 0, 0} {
		t.Errorf("%v done, ignored, overloaded; want the one of Do", got)
	}
}

func TestClientOutcomes(t *testing.T) {
	const most = 1000
	reached := make(chan struct{})
	for _, test := range []struct {
		name string
		in   string
		one  func(ctx context.Context) error
		ctx  func(ctx context.Context, patience time.Duration) (context.Context, context.CancelFunc)
		want sweetspot.Outcome
	}{
		{name: "ok", want: sweetspot.Done},
		{name: "not found", one: func(context.Context) error { return status.Error(codes.NotFound, "no") }, want: sweetspot.Done},
		{name: "internal", one: func(context.Context) error { return status.Error(codes.Internal, "no") }, want: sweetspot.Ignored},
		{name: "exhausted", one: func(context.Context) error { return status.Error(codes.ResourceExhausted, "no") }, want: sweetspot.Overloaded},
		{name: "unavailable", one: func(context.Context) error { return status.Error(codes.Unavailable, "no") }, want: sweetspot.Overloaded},
		{name: "message too large", in: strings.Repeat("x", 2*most), want: sweetspot.Ignored},
		{
			name: "timeout",
			one:  func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
			ctx:  context.WithTimeout,
			want: sweetspot.Overloaded,
		},
		{
			name: "cancelled",
			one:  func(ctx context.Context) error { close(reached); <-ctx.Done(); return ctx.Err() },
			ctx: func(ctx context.Context, _ time.Duration) (context.Context, context.CancelFunc) {
				ctx, cancel := context.WithCancel(ctx)
				go func() {
					<-reached
					cancel()
				}()
				return ctx, cancel
			},
			want: sweetspot.Ignored,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			for patience := 500 * time.Millisecond; ; patience *= 2 {
				l := setTo(sweetspot.New(), 1)
				var called atomic.Bool
				conn := serve(t, &service{one: func(ctx context.Context, in string) (string, error) {
					called.Store(true)
					if test.one != nil {
						return "", test.one(ctx)
					}
					return in, nil
				}}, nil, append(limited(&grpclimit.Client{Limiter: l}), grpc.WithDefaultCallOptions(grpc.MaxCallSendMsgSize(most)))...)
				ctx := t.Context()
				if test.ctx != nil {
					c, cancel := test.ctx(ctx, patience)
					defer cancel()
					ctx = c
				}
				_, err := call(ctx, conn, test.in)
				if ctx.Err() == context.DeadlineExceeded && !called.Load() && patience < 30*time.Second {
					continue // it was not made in time
				}
				var want [3]int64
				want[test.want] = 1
				if got := outcomes(l); got != want {
					t.Errorf("%v done, ignored, overloaded of %v; want %v", got, err, want)
				}
				inFlight(t, l, 0, "in the end")
				return
			}
		})
	}
}

func TestClientKeepsTheCallersOptions(t *testing.T) {
	conn := serve(t, &service{one: func(ctx context.Context, in string) (string, error) {
		grpc.SetTrailer(ctx, metadata.Pairs("who", "me"))
		return in, nil
	}}, nil, limited(&grpclimit.Client{})...)
	for n := range 12 { // more than there is room for
		var opts []grpc.CallOption
		trailers := make([]metadata.MD, n)
		for i := range trailers {
			opts = append(opts, grpc.Trailer(&trailers[i]))
		}
		if _, err := call(t.Context(), conn, "x", opts...); err != nil {
			t.Error(err)
		}
		for i, m := range trailers {
			if v := m.Get("who"); !slices.Equal(v, []string{"me"}) {
				t.Errorf("option %d of %d has %q", i, n, v)
			}
		}
	}
}

// Interceptors may append to the options of a call more than once.
func TestClientOptionsAreNotShared(t *testing.T) {
	appends := func(name string, opts []grpc.CallOption) {
		var first, second metadata.MD
		a := append(opts, grpc.Header(&first))
		_ = append(opts, grpc.Header(&second))
		if a[len(opts)].(grpc.HeaderCallOption).HeaderAddr != &first {
			t.Errorf("%s: one append has replaced the option of another", name)
		}
	}
	c := &grpclimit.Client{}
	c.Unary(t.Context(), one, nil, nil, nil, func(_ context.Context, _ string, _, _ any, _ *grpc.ClientConn, opts ...grpc.CallOption) error {
		appends("unary", opts)
		return nil
	})
	c.Stream(t.Context(), manyDesc, nil, many, func(_ context.Context, _ *grpc.StreamDesc, _ *grpc.ClientConn, _ string, opts ...grpc.CallOption) (grpc.ClientStream, error) {
		appends("stream", opts)
		return nil, errors.New("no stream")
	})
}

func TestClientWaitEndsWithTheContext(t *testing.T) {
	l := setTo(sweetspot.New(), 1)
	c := &grpclimit.Client{Limiter: l}
	u, _ := l.TryBegin()
	why := errors.New("no longer wanted")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 10*time.Millisecond, why)
	defer cancel()
	called := false
	err := c.Unary(ctx, one, nil, nil, nil, func(context.Context, string, any, any, *grpc.ClientConn, ...grpc.CallOption) error {
		called = true
		return nil
	})
	if !errors.Is(err, why) || status.Code(err) != codes.DeadlineExceeded || !strings.Contains(err.Error(), why.Error()) {
		t.Errorf("error %v with the code %v, want the cause and DeadlineExceeded", err, status.Code(err))
	}
	_, err = c.Stream(ctx, manyDesc, nil, many, func(context.Context, *grpc.StreamDesc, *grpc.ClientConn, string, ...grpc.CallOption) (grpc.ClientStream, error) {
		called = true
		return nil, nil
	})
	if !errors.Is(err, why) || called {
		t.Errorf("error %v, called %v; want the cause and no call", err, called)
	}
	u.End(sweetspot.Ignored, 1)
}

func TestClientPanicGivesThePermitBack(t *testing.T) {
	l := setTo(sweetspot.New(), 1)
	c := &grpclimit.Client{Limiter: l}
	for name, f := range map[string]func(){
		"unary": func() {
			c.Unary(t.Context(), one, nil, nil, nil, func(context.Context, string, any, any, *grpc.ClientConn, ...grpc.CallOption) error {
				panic("so")
			})
		},
		"stream": func() {
			c.Stream(t.Context(), manyDesc, nil, many, func(context.Context, *grpc.StreamDesc, *grpc.ClientConn, string, ...grpc.CallOption) (grpc.ClientStream, error) {
				panic("so")
			})
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
}

// What a refusal says about when to come back is kept, for all calls.
func TestClientWaitsForThePushback(t *testing.T) {
	for _, test := range []struct {
		name     string
		pushback []string
		want     time.Duration
	}{
		{"as told", []string{"1500"}, 1500 * time.Millisecond},
		{"none", nil, 0},
		{"too long", []string{"3600000"}, 20 * time.Second},
		{"far too long", []string{"99999999999999999999"}, 0},
		{"do not come back", []string{"-1"}, 0},
		{"words", []string{"soon"}, 0},
		{"two", []string{"5", "6"}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := &grpclimit.Client{MaxPause: 20 * time.Second}
				began := time.Now()
				var at []time.Duration
				invoke := func(_ context.Context, _ string, _, _ any, _ *grpc.ClientConn, opts ...grpc.CallOption) error {
					at = append(at, time.Since(began))
					if len(at) > 1 {
						return nil
					}
					for _, o := range opts {
						if o, ok := o.(grpc.TrailerCallOption); ok {
							*o.TrailerAddr = metadata.MD{"grpc-retry-pushback-ms": test.pushback}
						}
					}
					return status.Error(codes.ResourceExhausted, "so")
				}
				for range 2 {
					c.Unary(context.Background(), one, nil, nil, nil, invoke)
				}
				if want := []time.Duration{0, test.want}; !slices.Equal(at, want) {
					t.Errorf("called at %v, want %v", at, want)
				}
			})
		})
	}
}

// Both sides together, over a connection: the server refuses, and the client
// comes back when it was told to.
func TestClientOfAServer(t *testing.T) {
	l := setTo(sweetspot.New(), 1)
	gate := &grpclimit.Server{Limiter: l, Queue: -1}
	cl := setTo(sweetspot.New(), 10)
	conn := serve(t, &service{one: echo, many: echoes}, gated(gate), limited(&grpclimit.Client{Limiter: cl})...)
	u, _ := l.TryBegin()
	if _, err := call(t.Context(), conn, "x"); status.Code(err) != codes.ResourceExhausted {
		t.Fatalf("error %v, want ResourceExhausted", err)
	}
	stream, err := conn.NewStream(t.Context(), manyDesc, many)
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.RecvMsg(new(message)); status.Code(err) != codes.ResourceExhausted {
		t.Fatalf("error %v, want ResourceExhausted", err)
	}
	u.End(sweetspot.Ignored, 1)
	if _, err := call(t.Context(), conn, "x"); err != nil {
		t.Error(err)
	}
	if got := outcomes(cl); got != [3]int64{1, 0, 2} {
		t.Errorf("%v done, ignored, overloaded; want 1 done and 2 overloaded", got)
	}
	inFlight(t, cl, 0, "in the end")
}

func TestClientStreams(t *testing.T) {
	send := func(t *testing.T, s grpc.ClientStream, v string) {
		t.Helper()
		if err := s.SendMsg(wrapperspb.String(v)); err != nil {
			t.Error(err)
		}
	}
	for _, test := range []struct {
		name string
		use  func(t *testing.T, ctx context.Context, cancel context.CancelFunc, conn *grpc.ClientConn, l *sweetspot.Limiter)
		want [3]int64
	}{
		{"to the end", func(t *testing.T, ctx context.Context, _ context.CancelFunc, conn *grpc.ClientConn, l *sweetspot.Limiter) {
			s, err := conn.NewStream(ctx, manyDesc, many)
			if err != nil {
				t.Fatal(err)
			}
			send(t, s, "x")
			m := new(message)
			if err := s.RecvMsg(m); err != nil || m.Value != "x" {
				t.Errorf("%q, %v", m.Value, err)
			}
			inFlight(t, l, 1, "in mid-stream")
			s.CloseSend()
			inFlight(t, l, 1, "after the last message")
			if err := s.RecvMsg(m); err != io.EOF {
				t.Errorf("error %v, want EOF", err)
			}
			inFlight(t, l, 0, "at the end")
			if err := s.RecvMsg(m); err == nil {
				t.Error("a message after the end")
			}
		}, [3]int64{1, 0, 0}},
		{"one message back", func(t *testing.T, ctx context.Context, _ context.CancelFunc, conn *grpc.ClientConn, l *sweetspot.Limiter) {
			s, err := conn.NewStream(ctx, upDesc, up)
			if err != nil {
				t.Fatal(err)
			}
			send(t, s, "x")
			s.CloseSend()
			inFlight(t, l, 1, "before the answer")
			m := new(message)
			if err := s.RecvMsg(m); err != nil || m.Value != "last" {
				t.Errorf("%q, %v", m.Value, err)
			}
			inFlight(t, l, 0, "after the answer")
		}, [3]int64{1, 0, 0}},
		{"refused", func(t *testing.T, ctx context.Context, _ context.CancelFunc, conn *grpc.ClientConn, l *sweetspot.Limiter) {
			s, err := conn.NewStream(ctx, manyDesc, many)
			if err != nil {
				t.Fatal(err)
			}
			send(t, s, "refuse")
			if err := s.RecvMsg(new(message)); status.Code(err) != codes.Unavailable {
				t.Errorf("error %v, want Unavailable", err)
			}
			inFlight(t, l, 0, "after the refusal")
		}, [3]int64{0, 0, 1}},
		{"left alone", func(t *testing.T, ctx context.Context, cancel context.CancelFunc, conn *grpc.ClientConn, l *sweetspot.Limiter) {
			s, err := conn.NewStream(ctx, manyDesc, many)
			if err != nil {
				t.Fatal(err)
			}
			send(t, s, "x")
			inFlight(t, l, 1, "in mid-stream")
			cancel() // and never look at it again
		}, [3]int64{0, 1, 0}},
		{"the connection is closed", func(t *testing.T, ctx context.Context, _ context.CancelFunc, conn *grpc.ClientConn, l *sweetspot.Limiter) {
			s, err := conn.NewStream(ctx, manyDesc, many)
			if err != nil {
				t.Fatal(err)
			}
			inFlight(t, l, 1, "in mid-stream")
			conn.Close()
			if err := s.RecvMsg(new(message)); err == nil {
				t.Error("a message from a closed connection")
			}
			ended(t, l, 1) // gRPC may be about to say so
			if _, err := conn.NewStream(ctx, manyDesc, many); err == nil {
				t.Error("a stream of a closed connection")
			}
			inFlight(t, l, 0, "after a stream that did not begin")
		}, [3]int64{0, 2, 0}},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := setTo(sweetspot.New(), 2)
			conn := serve(t, &service{
				many: func(stream grpc.ServerStream) error {
					m := new(message)
					if err := stream.RecvMsg(m); err != nil {
						return err
					}
					if m.Value == "refuse" {
						return status.Error(codes.Unavailable, "so")
					}
					stream.SendMsg(m)
					return echoes(stream)
				},
				up: func(stream grpc.ServerStream) (string, error) {
					for {
						if err := stream.RecvMsg(new(message)); err != nil {
							return "last", nil
						}
					}
				},
			}, nil, limited(&grpclimit.Client{Limiter: l})...)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			test.use(t, ctx, cancel, conn, l)
			ended(t, l, test.want[0]+test.want[1]+test.want[2])
			got := outcomes(l)
			if test.name == "the connection is closed" { // Canceled or Unavailable, as it happens
				got[1], got[2] = got[1]+got[2], 0
			}
			if got != test.want {
				t.Errorf("%v done, ignored, overloaded; want %v", got, test.want)
			}
		})
	}
}

// around is a stream that another interceptor has put something around.
type around struct{ grpc.ClientStream }

// A stream that is never looked at again gives its permit back when its context is
// done or its connection closed, whoever made it.
func TestClientStreamsLeftAlone(t *testing.T) {
	for name, other := range map[string]grpc.StreamClientInterceptor{
		"of gRPC": nil,
		"of gRPC, with something around": func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, streamer grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
			s, err := streamer(ctx, desc, cc, method, opts...)
			return around{s}, err
		},
		"without the options": func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, streamer grpc.Streamer, _ ...grpc.CallOption) (grpc.ClientStream, error) {
			s, err := streamer(ctx, desc, cc, method)
			return &around{s}, err
		},
	} {
		for _, test := range []struct {
			name string
			end  func(cancel context.CancelFunc, conn *grpc.ClientConn)
			wait time.Duration // until the deadline
		}{
			{"cancelled", func(cancel context.CancelFunc, _ *grpc.ClientConn) { cancel() }, time.Hour},
			{"too late", func(context.CancelFunc, *grpc.ClientConn) {}, 50 * time.Millisecond},
			{"the connection is closed", func(_ context.CancelFunc, conn *grpc.ClientConn) { conn.Close() }, time.Hour},
		} {
			if name == "without the options" && test.name == "the connection is closed" {
				continue // gRPC cannot tell
			}
			t.Run(name+", "+test.name, func(t *testing.T) {
				const streams = 20
				l := setTo(sweetspot.New(), streams)
				dial := limited(&grpclimit.Client{Limiter: l})
				if other != nil {
					dial = append(dial, grpc.WithChainStreamInterceptor(other))
				}
				conn := serve(t, &service{many: echoes}, nil, dial...)
				conn.Connect() // not on the time of the streams
				until(t, "there is a connection", func() bool { return conn.GetState() == connectivity.Ready })
				ctx, cancel := context.WithTimeout(t.Context(), test.wait)
				defer cancel()
				begun := 0
				for range streams {
					if _, err := conn.NewStream(ctx, manyDesc, many); err == nil {
						begun++
					} else if ctx.Err() == nil {
						t.Fatal(err)
					}
				}
				if test.wait == time.Hour { // else it may end meanwhile
					inFlight(t, l, begun, "before the end")
				}
				test.end(cancel, conn)
				ended(t, l, int64(begun))
				if got := outcomes(l); got[0] != 0 || got[1]+got[2] != int64(begun) && begun == streams {
					t.Errorf("%v done, ignored, overloaded of %d streams; want none done, and each told once", got, begun)
				}
			})
		}
	}
}

// A stream gives its permit back where its context says nothing of its end, and
// nobody receives.
func TestClientStreamsWithoutDone(t *testing.T) {
	for _, test := range []struct {
		name string
		many func(grpc.ServerStream) error
		end  func(t *testing.T, conn *grpc.ClientConn, s grpc.ClientStream)
		want [3]int64
	}{
		{"the connection is closed", echoes, func(t *testing.T, conn *grpc.ClientConn, s grpc.ClientStream) {
			if err := s.SendMsg(wrapperspb.String("x")); err != nil {
				t.Error(err)
			}
			if err := s.RecvMsg(new(message)); err != nil {
				t.Error(err)
			}
			conn.Close()
		}, [3]int64{0, 1, 0}},
		{"no header", func(grpc.ServerStream) error {
			return status.Error(codes.PermissionDenied, "so")
		}, func(t *testing.T, _ *grpc.ClientConn, s grpc.ClientStream) {
			if h, err := s.Header(); h != nil || err != nil {
				t.Errorf("header %v, %v: want none", h, err)
			}
		}, [3]int64{1, 0, 0}},
		{"no header from an overloaded server", func(s grpc.ServerStream) error {
			s.SetTrailer(metadata.Pairs("grpc-retry-pushback-ms", "60000"))
			return status.Error(codes.ResourceExhausted, "so")
		}, func(t *testing.T, conn *grpc.ClientConn, s grpc.ClientStream) {
			s.Header()
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			if _, err := conn.NewStream(ctx, manyDesc, many); status.Code(err) != codes.DeadlineExceeded {
				t.Errorf("error %v: want that of a call that waits for the pushback", err)
			}
		}, [3]int64{0, 0, 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := setTo(sweetspot.New(), 1)
			conn := serve(t, &service{many: test.many}, nil, limited(&grpclimit.Client{Limiter: l, MaxPause: time.Hour})...)
			s, err := conn.NewStream(context.Background(), manyDesc, many)
			if err != nil {
				t.Fatal(err)
			}
			inFlight(t, l, 1, "at the beginning")
			test.end(t, conn, s)
			ended(t, l, 1)
			if got := outcomes(l); got != test.want {
				t.Errorf("%v done, ignored, overloaded; want %v", got, test.want)
			}
		})
	}
}

// A stream keeps its permit, and is tried again, while the retry policy of the
// connection says so.
func TestClientStreamsAreTriedAgain(t *testing.T) {
	l := setTo(sweetspot.New(), 1)
	var tries atomic.Int64
	conn := serve(t, &service{many: func(s grpc.ServerStream) error {
		inFlight(t, l, 1, "in a try")
		if tries.Add(1) < 3 {
			return status.Error(codes.Unavailable, "so")
		}
		return echoes(s)
	}}, nil, append(limited(&grpclimit.Client{Limiter: l}), grpc.WithDefaultServiceConfig(`{"methodConfig": [{"name": [{}],
		"retryPolicy": {"maxAttempts": 4, "initialBackoff": "0.001s", "maxBackoff": "0.001s", "backoffMultiplier": 1,
		"retryableStatusCodes": ["UNAVAILABLE"]}}]}`))...)
	s, err := conn.NewStream(context.Background(), manyDesc, many)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.SendMsg(wrapperspb.String("x")); err != nil {
		t.Fatal(err)
	}
	s.CloseSend()
	m := new(message)
	if err := s.RecvMsg(m); err != nil || m.Value != "x" {
		t.Errorf("%q, %v", m.Value, err)
	}
	inFlight(t, l, 1, "before the end")
	if err := s.RecvMsg(m); err != io.EOF {
		t.Errorf("error %v, want EOF", err)
	}
	inFlight(t, l, 0, "at the end")
	if got := outcomes(l); got != [3]int64{1, 0, 0} {
		t.Errorf("%v done, ignored, overloaded; want 1 done", got)
	}
	if n := tries.Load(); n != 3 {
		t.Errorf("%d tries, want 3", n)
	}
}

func TestClientSkips(t *testing.T) {
	l := setTo(sweetspot.New(), 1)
	u, _ := l.TryBegin()
	defer u.End(sweetspot.Ignored, 1)
	conn := serve(t, &service{one: echo, many: echoes}, nil, limited(&grpclimit.Client{Limiter: l,
		Skip: func(method string) bool { return method == one || method == many }})...)
	if _, err := call(t.Context(), conn, "x"); err != nil {
		t.Error(err)
	}
	s, err := conn.NewStream(t.Context(), manyDesc, many)
	if err != nil {
		t.Fatal(err)
	}
	s.CloseSend()
	if err := s.RecvMsg(new(message)); err != io.EOF {
		t.Errorf("error %v, want EOF", err)
	}
}

func TestClientClassify(t *testing.T) {
	l := setTo(sweetspot.New(), 1)
	for want, classify := range []func(error) sweetspot.Outcome{
		func(error) sweetspot.Outcome { return sweetspot.Done },
		func(error) sweetspot.Outcome { return 7 }, // none
		func(error) sweetspot.Outcome { return sweetspot.Overloaded },
	} {
		before := outcomes(l)
		c := &grpclimit.Client{Limiter: l, Classify: classify}
		c.Unary(t.Context(), one, nil, nil, nil, func(context.Context, string, any, any, *grpc.ClientConn, ...grpc.CallOption) error { return nil })
		got := outcomes(l)
		if got[want] != before[want]+1 {
			t.Errorf("%v after %v, want one more at %d", got, before, want)
		}
	}
}

// However often the end of a stream is seen, Classify is asked once, and the permit is
// given back also if it panics.
func TestClientClassifiesAStreamOnce(t *testing.T) {
	l := setTo(sweetspot.New(), 1)
	asked, crash := 0, false
	c := &grpclimit.Client{Limiter: l, Classify: func(error) sweetspot.Outcome {
		if asked++; crash {
			panic("so")
		}
		return sweetspot.Done
	}}
	streamer := func(context.Context, *grpc.StreamDesc, *grpc.ClientConn, string, ...grpc.CallOption) (grpc.ClientStream, error) {
		return finished{}, nil
	}
	s, err := c.Stream(context.Background(), manyDesc, nil, many, streamer)
	if err != nil {
		t.Fatal(err)
	}
	s.RecvMsg(nil)
	s.RecvMsg(nil)
	if asked != 1 {
		t.Errorf("Classify was asked %d times about a stream, want once", asked)
	}
	s, err = c.Stream(context.Background(), manyDesc, nil, many, streamer)
	if err != nil {
		t.Fatal(err)
	}
	func() {
		defer func() { recover() }()
		crash = true
		s.RecvMsg(nil)
	}()
	inFlight(t, l, 0, "after a panic of Classify")
	if got := outcomes(l); got != [3]int64{1, 1, 0} {
		t.Errorf("%v done, ignored, overloaded; want 1 done and 1 ignored", got)
	}
}

func TestAllocations(t *testing.T) {
	ctx := context.Background()
	info := &grpc.UnaryServerInfo{FullMethod: one}
	handle := func(context.Context, any) (any, error) { return nil, nil }
	server := &grpclimit.Server{Limiter: setTo(sweetspot.New(), 2)}
	server.Unary(ctx, nil, info, handle)
	if n := testing.AllocsPerRun(200, func() { server.Unary(ctx, nil, info, handle) }); n > 0 {
		t.Errorf("%v allocations a call served, want none", n)
	}
	invoke := func(context.Context, string, any, any, *grpc.ClientConn, ...grpc.CallOption) error { return nil }
	client := &grpclimit.Client{Limiter: setTo(sweetspot.New(), 2)}
	client.Unary(ctx, one, nil, nil, nil, invoke)
	if n := testing.AllocsPerRun(200, func() { client.Unary(ctx, one, nil, nil, nil, invoke) }); n > 1 {
		t.Errorf("%v allocations a call made, want 1", n)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	own := &grpc.GenericClientStream[message, message]{ClientStream: finished{}}
	streamer := func(context.Context, *grpc.StreamDesc, *grpc.ClientConn, string, ...grpc.CallOption) (grpc.ClientStream, error) {
		return own, nil
	}
	if n := testing.AllocsPerRun(200, func() {
		s, _ := client.Stream(ctx, manyDesc, nil, many, streamer)
		s.RecvMsg(nil)
	}); n > 2 {
		t.Errorf("%v allocations a stream, want 2", n)
	}
}

// setTo returns l with its limit fixed at n.
func setTo(l *sweetspot.Limiter, n int) *sweetspot.Limiter {
	l.SetLimit(n)
	return l
}
