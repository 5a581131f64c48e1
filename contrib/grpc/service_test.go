package grpclimit_test

import (
	"context"
	"io"
	"net"
	"testing"

	"github.com/sweetspot-go/sweetspot"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// A message is what the service of the tests takes and sends.
type message = wrapperspb.StringValue

// A service is what a server of the tests does. Its methods are those that gRPC
// would generate.
type service struct {
	one  func(ctx context.Context, in string) (string, error)    // test.S/One
	many func(stream grpc.ServerStream) error                    // test.S/Many: streams both ways
	up   func(stream grpc.ServerStream) (last string, err error) // test.S/Up: the client streams
}

const (
	one  = "/test.S/One"
	many = "/test.S/Many"
	up   = "/test.S/Up"
)

func (s *service) desc() *grpc.ServiceDesc {
	return &grpc.ServiceDesc{
		ServiceName: "test.S",
		HandlerType: (*any)(nil),
		Methods: []grpc.MethodDesc{{MethodName: "One", Handler: func(srv any, ctx context.Context, dec func(any) error, interceptor grpc.UnaryServerInterceptor) (any, error) {
			in := new(message)
			if err := dec(in); err != nil {
				return nil, err
			}
			handle := func(ctx context.Context, req any) (any, error) {
				out, err := s.one(ctx, req.(*message).Value)
				return wrapperspb.String(out), err
			}
			if interceptor == nil {
				return handle(ctx, in)
			}
			return interceptor(ctx, in, &grpc.UnaryServerInfo{Server: srv, FullMethod: one}, handle)
		}}},
		Streams: []grpc.StreamDesc{
			{StreamName: "Many", ServerStreams: true, ClientStreams: true, Handler: func(_ any, stream grpc.ServerStream) error { return s.many(stream) }},
			{StreamName: "Up", ClientStreams: true, Handler: func(_ any, stream grpc.ServerStream) error {
				last, err := s.up(stream)
				if err != nil {
					return err
				}
				return stream.SendMsg(wrapperspb.String(last))
			}},
		},
	}
}

var (
	manyDesc = &grpc.StreamDesc{StreamName: "Many", ServerStreams: true, ClientStreams: true}
	upDesc   = &grpc.StreamDesc{StreamName: "Up", ClientStreams: true}
)

// serve starts a server on loopback and returns a connection to it.
func serve(t testing.TB, s *service, server []grpc.ServerOption, dial ...grpc.DialOption) *grpc.ClientConn {
	t.Helper()
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	srv := grpc.NewServer(server...)
	srv.RegisterService(s.desc(), s)
	served := make(chan error, 1)
	go func() { served <- srv.Serve(lis) }()
	conn, err := grpc.NewClient(lis.Addr().String(), append(dial, grpc.WithTransportCredentials(insecure.NewCredentials()))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		conn.Close()
		srv.Stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return conn
}

// call calls One.
func call(ctx context.Context, conn *grpc.ClientConn, in string, opts ...grpc.CallOption) (string, error) {
	out := new(message)
	err := conn.Invoke(ctx, one, wrapperspb.String(in), out, opts...)
	return out.Value, err
}

// echo sends back what it gets.
func echo(_ context.Context, in string) (string, error) { return in, nil }

// echoes sends each message back.
func echoes(stream grpc.ServerStream) error {
	for {
		m := new(message)
		if err := stream.RecvMsg(m); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if err := stream.SendMsg(m); err != nil {
			return err
		}
	}
}

func inFlight(t *testing.T, l *sweetspot.Limiter, want int, when string) {
	t.Helper()
	if n := l.Stats().InFlight; n != want {
		t.Errorf("%d permits held %s, want %d", n, when, want)
	}
}

// ended waits until n units have ended. A permit comes back a moment before its unit is counted.
func ended(t *testing.T, l *sweetspot.Limiter, n int64) {
	t.Helper()
	until(t, "all have ended", func() bool {
		all := outcomes(l)
		return l.Stats().InFlight == 0 && all[0]+all[1]+all[2] >= n
	})
}

// outcomes returns how many units were done, ignored and overloaded.
func outcomes(l *sweetspot.Limiter) [3]int64 {
	s := l.Stats()
	return [3]int64{s.Completed, s.Ignored, s.Overloads}
}
