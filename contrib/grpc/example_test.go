package grpclimit_test

import (
	"context"
	"fmt"

	"github.com/sweetspot-go/sweetspot"
	grpclimit "github.com/sweetspot-go/sweetspot/contrib/grpc"
	"github.com/sweetspot-go/sweetspot/control"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"
)

func ExampleServer() {
	gate := &grpclimit.Server{
		Limiter: sweetspot.New(sweetspot.Name("orders"), sweetspot.Controller(control.NewOverload(control.NewLatency()))),
		Skip:    func(method string) bool { return method == "/grpc.health.v1.Health/Check" },
	}
	server := grpc.NewServer(
		grpc.ChainUnaryInterceptor(gate.Unary),
		grpc.ChainStreamInterceptor(gate.Stream))
	// Register services and serve.
	server.Stop()
	fmt.Println(gate.Limiter.Name())
	// Output: orders
}

func ExampleServer_Unary() {
	gate := &grpclimit.Server{Limiter: sweetspot.New(), Queue: -1}
	gate.Limiter.SetLimit(1)
	gate.Limiter.TryAcquire() // somebody is being served
	_, err := gate.Unary(context.Background(), "request", &grpc.UnaryServerInfo{},
		func(context.Context, any) (any, error) { return "response", nil })
	fmt.Println(err)
	// Output: rpc error: code = ResourceExhausted desc = sweetspot: too many calls at a time: the queue is full
}

func ExampleServer_Stream() {
	gate := &grpclimit.Server{}
	server := grpc.NewServer(grpc.ChainStreamInterceptor(gate.Stream))
	server.Stop()
	fmt.Println("streams hold a permit until their handler returns")
	// Output: streams hold a permit until their handler returns
}

func ExampleClient() {
	calls := &grpclimit.Client{Limiter: sweetspot.New(sweetspot.Name("orders"))}
	conn, err := grpc.NewClient("dns:///orders.example:443",
		grpc.WithChainUnaryInterceptor(calls.Unary),
		grpc.WithChainStreamInterceptor(calls.Stream),
		grpc.WithTransportCredentials(credentials.NewTLS(nil)))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close()
	fmt.Println(calls.Limiter.Stats().InFlight, "calls")
	// Output: 0 calls
}

func ExampleClient_Unary() {
	calls := &grpclimit.Client{Limiter: sweetspot.New()}
	invoke := func(context.Context, string, any, any, *grpc.ClientConn, ...grpc.CallOption) error {
		return status.Error(codes.Unavailable, "try later")
	}
	err := calls.Unary(context.Background(), "/orders.Orders/Get", "request", "reply", nil, invoke)
	fmt.Println(status.Code(err), calls.Limiter.Stats().Overloads)
	// Output: Unavailable 1
}

func ExampleClient_Stream() {
	calls := &grpclimit.Client{Skip: func(method string) bool { return method == "/orders.Orders/Watch" }}
	fmt.Println(calls.Skip("/orders.Orders/Watch"))
	// Output: true
}

func ExampleErrorOutcome() {
	classify := func(err error) sweetspot.Outcome {
		if status.Code(err) == codes.Aborted { // two of ours at the same row
			return sweetspot.Overloaded
		}
		return grpclimit.ErrorOutcome(err)
	}
	calls := &grpclimit.Client{Classify: classify}
	fmt.Println(calls.Classify(status.Error(codes.Aborted, "")) == sweetspot.Overloaded)
	// Output: true
}

func ExampleHandlerOutcome() {
	// The handlers of this server return Unavailable only where the database is overloaded.
	gate := &grpclimit.Server{Classify: func(err error) sweetspot.Outcome {
		if status.Code(err) == codes.Unavailable {
			return sweetspot.Overloaded
		}
		return grpclimit.HandlerOutcome(err)
	}}
	for _, code := range []codes.Code{codes.NotFound, codes.ResourceExhausted, codes.Unavailable} {
		fmt.Println(code, gate.Classify(status.Error(code, "")))
	}
	// Output:
	// NotFound 0
	// ResourceExhausted 1
	// Unavailable 2
}
