// Package grpclimit limits how many gRPC calls run at a time, in servers and in
// clients. It finds the number by itself.
//
//	gate := &grpclimit.Server{}
//	server := grpc.NewServer(
//		grpc.ChainUnaryInterceptor(gate.Unary),
//		grpc.ChainStreamInterceptor(gate.Stream))
//
//	calls := &grpclimit.Client{}
//	conn, err := grpc.NewClient(target,
//		grpc.WithChainUnaryInterceptor(calls.Unary),
//		grpc.WithChainStreamInterceptor(calls.Stream))
//
// # Where the permit is taken
//
// In the interceptors. So only calls of existing methods take permits, and each gives
// its permit back when it ends. A tap handle (grpc.InTapHandle) would see a call
// earlier. But it does not see the end of calls of unknown methods and malformed paths,
// so such calls could use up all permits. It also runs in the reader of the connection,
// where waiting holds up all calls on it. The options of grpc-go do something else:
// MaxConcurrentStreams is per connection, and NumStreamWorkers starts more goroutines
// when all of its own are busy.
//
// # Which codes are what
//
// For a Client, [ErrorOutcome] treats status codes like their HTTP statuses:
// ResourceExhausted (429), Unavailable (503) and DeadlineExceeded (504) are overloads;
// codes below 500 are answers; the rest is ignored. For a Server the three are ignored
// as well ([HandlerOutcome]); otherwise one client could make it serve all others less.
// A unary call that misses a deadline no shorter than the usual time of calls is an
// overload.
//
// # Streams
//
// A stream holds one permit from its beginning to its end, however long that is and
// whatever is sent. Long-lived streams, such as subscriptions, should have Skip or a
// Limiter of their own: they do not show how many at a time are best. A goroutine that
// makes another call of the same Client while it has a stream open may wait for itself,
// unless both are part of one unit: see [sweetspot.Limiter.Do].
package grpclimit
