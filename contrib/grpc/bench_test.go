package grpclimit_test

import (
	"context"
	"io"
	"testing"

	"github.com/sweetspot-go/sweetspot"
	grpclimit "github.com/sweetspot-go/sweetspot/contrib/grpc"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
)

// finished is a stream that ends at once.
type finished struct{ grpc.ClientStream }

func (finished) RecvMsg(any) error    { return io.EOF }
func (finished) Trailer() metadata.MD { return nil }

// BenchmarkInterceptors measures what the interceptors cost by themselves: what they
// call does nothing.
func BenchmarkInterceptors(b *testing.B) {
	ctx := context.Background()
	l := func() *sweetspot.Limiter { return sweetspot.New(sweetspot.Min(100)) }
	server, client := &grpclimit.Server{Limiter: l()}, &grpclimit.Client{Limiter: l()}

	unaryInfo := &grpc.UnaryServerInfo{FullMethod: one}
	handle := func(context.Context, any) (any, error) { return nil, nil }
	streamInfo := &grpc.StreamServerInfo{FullMethod: many}
	handleStream := func(any, grpc.ServerStream) error { return nil }
	invoke := func(context.Context, string, any, any, *grpc.ClientConn, ...grpc.CallOption) error { return nil }
	streamer := func(context.Context, *grpc.StreamDesc, *grpc.ClientConn, string, ...grpc.CallOption) (grpc.ClientStream, error) {
		return finished{}, nil
	}
	own := &grpc.GenericClientStream[message, message]{ClientStream: finished{}}
	ownStreamer := func(context.Context, *grpc.StreamDesc, *grpc.ClientConn, string, ...grpc.CallOption) (grpc.ClientStream, error) {
		return own, nil
	}
	cancellable, cancel := context.WithCancel(ctx)
	defer cancel()
	for _, call := range []struct {
		name string
		call func()
	}{
		{"server/unary", func() { server.Unary(ctx, nil, unaryInfo, handle) }},
		{"server/stream", func() { server.Stream(nil, fakeStream{ctx: ctx}, streamInfo, handleStream) }},
		{"client/unary", func() { client.Unary(ctx, one, nil, nil, nil, invoke) }},
		{"client/stream", func() {
			s, _ := client.Stream(ctx, manyDesc, nil, many, streamer)
			s.RecvMsg(nil)
		}},
		{"client/stream that may be cancelled", func() {
			s, _ := client.Stream(cancellable, manyDesc, nil, many, ownStreamer)
			s.RecvMsg(nil)
		}},
		{"client/stream of another that may be cancelled", func() {
			s, _ := client.Stream(cancellable, manyDesc, nil, many, streamer)
			s.RecvMsg(nil)
		}},
	} {
		b.Run(call.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				call.call()
			}
		})
	}
}
