package kedascale

import (
	"context"
	"errors"
	"sync"
	"time"

	pb "github.com/kedacore/keda/v2/pkg/scalers/externalscaler"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	natslimit "github.com/sweetspot-go/sweetspot/contrib/nats"
)

// A Server answers KEDA about any number of ScaledObjects. Its methods may be called at
// the same time. They return status codes of gRPC: InvalidArgument for metadata that it
// cannot use, NotFound for a consumer that does not exist, FailedPrecondition if its
// workers do not announce themselves, Unavailable if NATS does not answer.
type Server struct {
	pb.UnimplementedExternalScalerServer // StreamMetricSpec: the target does not move

	// Every is the least time between two measurements; 5 s if not set. Questions in
	// between get the last answer. The autoscaler asks every 15 s, KEDA every 30 s.
	Every time.Duration

	measure measure
	info    func(context.Context, target) (*jetstream.ConsumerInfo, error)

	mu      sync.Mutex
	objects map[key]*object
}

type measure func(context.Context, target) (*jetstream.ConsumerInfo, []natslimit.Worker, error)

const metric = "workers"

const (
	defaultEvery = 5 * time.Second
	// activeEvery is how soon a stream notices the first message.
	activeEvery = 2 * time.Second
	// forgetAfter is how long an object is kept that nobody asks about.
	forgetAfter = time.Hour
)

// New returns a Server for the consumers that nc can read. The caller closes nc when
// the Server is not used any more. It panics if nc is nil.
func New(nc *nats.Conn) *Server {
	if nc == nil {
		panic("sweetspot: kedascale.New(nil): want a connection")
	}
	js, err := jetstream.New(nc)
	if err != nil {
		panic(err) // only for options, and there are none
	}
	s := &Server{objects: map[key]*object{}}
	s.info = func(ctx context.Context, t target) (*jetstream.ConsumerInfo, error) {
		c, err := js.Consumer(ctx, t.stream, t.consumer)
		if err != nil {
			return nil, err
		}
		return c.CachedInfo(), nil // just fetched
	}
	s.measure = func(ctx context.Context, t target) (*jetstream.ConsumerInfo, []natslimit.Worker, error) {
		workers, err := natslimit.Workers(ctx, nc, t.stream, t.consumer)
		if err != nil {
			return nil, nil, err
		}
		info, err := s.info(ctx, t)
		return info, workers, err
	}
	return s
}

// Register makes g serve s.
func (s *Server) Register(g grpc.ServiceRegistrar) { pb.RegisterExternalScalerServer(g, s) }

// IsActive answers whether there should be any worker.
func (s *Server) IsActive(ctx context.Context, ref *pb.ScaledObjectRef) (*pb.IsActiveResponse, error) {
	t, err := targetOf(ref)
	if err != nil {
		return nil, err
	}
	info, err := s.info(ctx, t)
	if err != nil {
		return nil, failed(t, err)
	}
	return &pb.IsActiveResponse{Result: natslimit.Active(info)}, nil
}

// StreamIsActive sends that whenever it changes, until the stream ends.
func (s *Server) StreamIsActive(ref *pb.ScaledObjectRef, stream grpc.ServerStreamingServer[pb.IsActiveResponse]) error {
	ctx := stream.Context()
	tick := time.NewTicker(activeEvery)
	defer tick.Stop()
	for last := (*pb.IsActiveResponse)(nil); ; {
		is, err := s.IsActive(ctx, ref)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return err
		}
		if last == nil || last.Result != is.Result {
			if err := stream.Send(is); err != nil {
				return err
			}
			last = is
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// GetMetricSpec names the metric and its target.
func (s *Server) GetMetricSpec(_ context.Context, ref *pb.ScaledObjectRef) (*pb.GetMetricSpecResponse, error) {
	if _, err := targetOf(ref); err != nil {
		return nil, err
	}
	return &pb.GetMetricSpecResponse{MetricSpecs: []*pb.MetricSpec{{MetricName: metric, TargetSize: 1, TargetSizeFloat: 1}}}, nil
}

// GetMetrics answers how many workers there should be.
func (s *Server) GetMetrics(ctx context.Context, r *pb.GetMetricsRequest) (*pb.GetMetricsResponse, error) {
	if r.GetMetricName() != metric {
		return nil, status.Errorf(codes.InvalidArgument, "sweetspot: there is no metric %q: want %q", r.GetMetricName(), metric)
	}
	t, err := targetOf(r.GetScaledObjectRef())
	if err != nil {
		return nil, err
	}
	n, err := s.object(r.GetScaledObjectRef(), t).workers(ctx, s)
	if err != nil {
		return nil, failed(t, err)
	}
	return &pb.GetMetricsResponse{MetricValues: []*pb.MetricValue{{MetricName: metric, MetricValue: int64(n), MetricValueFloat: float64(n)}}}, nil
}

func failed(t target, err error) error {
	code := codes.Unavailable
	switch _, said := status.FromError(err); {
	case said:
		return err
	case errors.Is(err, jetstream.ErrConsumerNotFound), errors.Is(err, jetstream.ErrStreamNotFound):
		code = codes.NotFound
	case errors.Is(err, context.Canceled):
		code = codes.Canceled
	}
	return status.Errorf(code, "sweetspot: consumer %s of stream %s: %v", t.consumer, t.stream, err)
}
