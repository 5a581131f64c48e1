// Package grpclimit limits how many calls of gRPC run at a time, to a number that it
// finds by itself: on the side that serves them and on the side that makes them.
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
// In the interceptors, and so only by calls of methods that exist, each of which
// gives it back when it ends. A tap handle (grpc.InTapHandle) would see a call
// earlier, but there is no end to be seen of calls of unknown methods and malformed
// paths, so that whoever sends those could use up all permits; and it runs in the
// reader of the connection, where waiting holds up all calls on it. The fixed
// means of grpc-go do something else: MaxConcurrentStreams is for each connection,
// and NumStreamWorkers starts more goroutines when all of its own are busy.
//
// # Which codes are what
//
// To a Client, [ErrorOutcome] takes the status codes as their HTTP statuses:
// ResourceExhausted (429), Unavailable (503) and DeadlineExceeded (504) are overloads;
// what is below 500 is an answer; the rest is ignored. To a Server the three are
// ignored as well ([HandlerOutcome]): else one client could make it serve all
// others less. A unary call that misses a deadline no shorter than what calls take is an
// overload.
//
// # Streams
//
// A stream holds one permit from its beginning to its end, however long that is and
// whatever is sent. Streams that live long, such as subscriptions, should have
// Skip, or else a Limiter of their own: they tell nothing about how many at a time
// are best.
package grpclimit
