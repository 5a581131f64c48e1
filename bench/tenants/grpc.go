package main

import (
	"context"
	"net"
	"sync"
	"time"

	"github.com/sweetspot-go/sweetspot"
	grpclimit "github.com/sweetspot-go/sweetspot/contrib/grpc"
	"github.com/sweetspot-go/sweetspot/internal/pause"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"
)

type grpcSite struct {
	server   *grpc.Server
	limiter  *sweetspot.Limiter
	target   string
	deadline bool // the tenant has deadlines; else it is over its quota
	served   chan struct{}

	mu    sync.Mutex
	conns []*grpc.ClientConn
}

func openGRPC(deadline bool) (site, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &grpcSite{limiter: newLimiter(), target: listener.Addr().String(), deadline: deadline, served: make(chan struct{})}
	gate := &grpclimit.Server{Limiter: s.limiter}
	s.server = grpc.NewServer(grpc.UnaryInterceptor(gate.Unary))
	s.server.RegisterService(&grpc.ServiceDesc{ServiceName: "tenants.S", HandlerType: (*any)(nil), Methods: []grpc.MethodDesc{
		method("Other", func(ctx context.Context) error { return pause.Sleep(ctx, work) }),
		method("Refused", func(context.Context) error { return status.Error(codes.ResourceExhausted, "over the quota") }),
		method("Quick", func(context.Context) error { return nil }),
		method("Short", func(ctx context.Context) error { return pause.Sleep(ctx, short) }),
	}}, s)
	go func() {
		defer close(s.served)
		s.server.Serve(listener)
	}()
	return s, nil
}

// method is what gRPC generates for one that takes and returns nothing.
func method(name string, do func(context.Context) error) grpc.MethodDesc {
	return grpc.MethodDesc{MethodName: name, Handler: func(srv any, ctx context.Context, decode func(any) error, intercept grpc.UnaryServerInterceptor) (any, error) {
		in := new(emptypb.Empty)
		if err := decode(in); err != nil {
			return nil, err
		}
		return intercept(ctx, in, &grpc.UnaryServerInfo{Server: srv, FullMethod: "/tenants.S/" + name}, func(ctx context.Context, _ any) (any, error) {
			if err := do(ctx); err != nil {
				return nil, err
			}
			return new(emptypb.Empty), nil
		})
	}}
}

func (s *grpcSite) connect() (other, hostile, harmless call, err error) {
	conn, err := grpc.NewClient(s.target, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return nil, nil, nil, err
	}
	s.mu.Lock()
	s.conns = append(s.conns, conn)
	s.mu.Unlock()
	invoke := func(name string, deadline time.Duration) call {
		return func(ctx context.Context) bool {
			if deadline > 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, deadline)
				defer cancel()
			}
			return conn.Invoke(ctx, "/tenants.S/"+name, new(emptypb.Empty), new(emptypb.Empty)) == nil
		}
	}
	if s.deadline {
		return invoke("Other", 0), invoke("Other", short), invoke("Short", 0), nil
	}
	return invoke("Other", 0), invoke("Refused", 0), invoke("Quick", 0), nil
}

func (s *grpcSite) limit() int { return s.limiter.Limit() }

func (s *grpcSite) close() {
	for _, c := range s.conns {
		c.Close()
	}
	s.server.Stop()
	<-s.served
}
