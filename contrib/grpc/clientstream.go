package grpclimit

import (
	"context"
	"io"
	"reflect"
	"slices"
	"sync/atomic"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/contrib/internal/adapter"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
)

// Stream is a [grpc.StreamClientInterceptor]. The permit is held until the stream ends
// as gRPC requires of its users: RecvMsg has returned an error (io.EOF included) or, if
// the server sends only one message, that message; or the context of the call is done;
// or SendMsg has failed; or the ClientConn is closed. It is also given back when Header
// finds that the stream has failed.
//
// An interceptor that makes several streams for one call, to retry it, must come before
// this one, because the permit is given back when the first of them ends. An
// interceptor after this one must pass on the options of the call, by which gRPC
// reports the end.
func (c *Client) Stream(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, streamer grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	if c.Skip != nil && c.Skip(method) {
		return streamer(ctx, desc, cc, method, opts...)
	}
	u, err := c.admit(ctx)
	if err != nil {
		return nil, err
	}
	s := &clientStream{c: c, unit: u, seen: c.pause.Refusals(), single: !desc.ServerStreams}
	begun := false
	defer func() {
		if !begun && !s.over.Swap(true) { // a panic or a Goexit
			s.release(sweetspot.Ignored)
		}
	}()
	// Not the Context of the stream: to ask for it would put an end to retries.
	opts = append(append(s.opts[:0], opts...), grpc.Trailer(&s.trailer), grpc.OnFinish(s.finished))
	s.ClientStream, err = streamer(ctx, desc, cc, method, slices.Clip(opts)...)
	begun = true
	if err != nil {
		s.end(err, nil)
		return nil, err
	}
	if ctx.Done() != nil && !ofGRPC(s.ClientStream) {
		stop := context.AfterFunc(ctx, func() { s.end(ctx.Err(), nil) })
		s.stop.Store(&stop)
		if s.over.Load() { // it was over before stop was known
			stop()
		}
	}
	return s, nil
}

// ofGRPC reports whether a stream is one of gRPC's own, which calls what OnFinish was
// given when the context is done, also if nobody looks at the stream any more. Of one
// that another interceptor has made, or has put something around, nobody knows.
func ofGRPC(s grpc.ClientStream) bool {
	t := reflect.TypeOf(s)
	return t != nil && t.Kind() == reflect.Pointer && t.Elem().PkgPath() == pathOfGRPC
}

var pathOfGRPC = reflect.TypeFor[grpc.ClientConn]().PkgPath()

// A clientStream gives its permit back at the end of the stream.
type clientStream struct {
	grpc.ClientStream
	c       *Client
	unit    unit
	seen    int64
	single  bool               // the server sends one message
	trailer metadata.MD        // set before finished is called
	opts    [8]grpc.CallOption // room for the options of most calls
	over    atomic.Bool
	stop    atomic.Pointer[func() bool] // stops waiting for the end of the context; nil: gRPC does that
}

func (s *clientStream) RecvMsg(m any) error {
	err := s.ClientStream.RecvMsg(m)
	switch {
	case err == io.EOF, err == nil && s.single:
		s.end(nil, nil)
	case err != nil:
		s.end(err, s.Trailer())
	}
	return err
}

func (s *clientStream) SendMsg(m any) error {
	err := s.ClientStream.SendMsg(m)
	if err != nil && err != io.EOF { // after io.EOF, RecvMsg tells why
		s.end(err, nil)
	}
	return err
}

// finished is called by gRPC at the end of the stream, also where nobody looks at
// that any more. It may be before there is a ClientStream.
func (s *clientStream) finished(err error) { s.end(err, s.trailer) }

// end ends a stream that ended with err, unless it has ended before.
func (s *clientStream) end(err error, trailer metadata.MD) {
	if s.over.Swap(true) {
		return
	}
	o := sweetspot.Ignored
	defer func() { s.release(o) }() // Classify may panic
	o = adapter.Judge(s.c.Classify, ErrorOutcome, err)
	s.c.learn(o, s.seen, trailer) // first, so that the next holder of the permit sees a pause
}

func (s *clientStream) release(o sweetspot.Outcome) {
	if stop := s.stop.Load(); stop != nil {
		(*stop)()
	}
	s.unit.end(o)
}
