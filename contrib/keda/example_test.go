package kedascale_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	pb "github.com/kedacore/keda/v2/pkg/scalers/externalscaler"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"google.golang.org/grpc"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/contrib/keda"
	natslimit "github.com/sweetspot-go/sweetspot/contrib/nats"
)

// connect returns a connection to a NATS server.
func connect() (nc *nats.Conn, end func()) {
	dir, err := os.MkdirTemp("", "keda")
	if err != nil {
		log.Fatal(err)
	}
	s, err := server.NewServer(&server.Options{DontListen: true, JetStream: true, StoreDir: dir, NoLog: true, NoSigs: true})
	if err != nil {
		log.Fatal(err)
	}
	s.Start()
	if !s.ReadyForConnections(time.Minute) {
		log.Fatal("the server does not start")
	}
	if nc, err = nats.Connect("", nats.InProcessServer(s)); err != nil {
		log.Fatal(err)
	}
	return nc, func() {
		nc.Close()
		s.Shutdown()
		s.WaitForShutdown()
		os.RemoveAll(dir)
	}
}

func ExampleNew() {
	nc, end := connect() // to your NATS server
	defer end()
	g := grpc.NewServer()
	kedascale.New(nc).Register(g)
	for name := range g.GetServiceInfo() { // and g.Serve(listener)
		fmt.Println(name)
	}
	// Output: externalscaler.ExternalScaler
}

func ExampleServer_GetMetricSpec() {
	nc, end := connect()
	defer end()
	spec, err := kedascale.New(nc).GetMetricSpec(context.Background(), &pb.ScaledObjectRef{
		Name: "worker", ScalerMetadata: map[string]string{"queue": "pages"},
	})
	if err != nil {
		log.Fatal(err)
	}
	m := spec.MetricSpecs[0]
	fmt.Println(m.MetricName, m.TargetSizeFloat)
	// Output: workers 1
}

// orders makes a stream of orders with one order in it, and its consumer.
func orders(nc *nats.Conn) jetstream.Consumer {
	ctx := context.Background()
	js, err := jetstream.New(nc)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := js.CreateStream(ctx, jetstream.StreamConfig{Name: "orders", Subjects: []string{"orders"}}); err != nil {
		log.Fatal(err)
	}
	if _, err := js.Publish(ctx, "orders", []byte("one book")); err != nil {
		log.Fatal(err)
	}
	c, err := js.CreateConsumer(ctx, "orders", jetstream.ConsumerConfig{
		Durable: "billing", AckPolicy: jetstream.AckExplicitPolicy, MaxDeliver: -1, MaxAckPending: -1,
	})
	if err != nil {
		log.Fatal(err)
	}
	return c
}

// billing is what KEDA says of the ScaledObject that scales the workers.
var billing = &pb.ScaledObjectRef{
	Name: "billing", ScalerMetadata: map[string]string{"stream": "orders", "consumer": "billing"},
}

func ExampleServer_Register() {
	nc, end := connect()
	defer end()
	s := kedascale.New(nc)
	s.Every = 10 * time.Second // the jobs are long
	g := grpc.NewServer()      // may serve more than this
	s.Register(g)
	fmt.Println(len(g.GetServiceInfo()), "service")
	// Output: 1 service
}

func ExampleServer_IsActive() {
	nc, end := connect()
	defer end()
	orders(nc)
	active, err := kedascale.New(nc).IsActive(context.Background(), billing)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("there should be a worker:", active.Result)
	// Output: there should be a worker: true
}

// A toKEDA is the server's end of a stream to KEDA, which ends the stream after one answer.
type toKEDA struct {
	grpc.ServerStream
	ctx context.Context
	end func()
}

func (s toKEDA) Context() context.Context { return s.ctx }

func (s toKEDA) Send(active *pb.IsActiveResponse) error {
	fmt.Println("there should be a worker:", active.Result)
	s.end()
	return nil
}

func ExampleServer_StreamIsActive() {
	nc, end := connect()
	defer end()
	orders(nc)
	ctx, cancel := context.WithCancel(context.Background())
	fmt.Println(kedascale.New(nc).StreamIsActive(billing, toKEDA{ctx: ctx, end: cancel}))
	// Output:
	// there should be a worker: true
	// context canceled
}

func ExampleServer_GetMetrics() {
	nc, end := connect()
	defer end()
	consumer := orders(nc)
	busy, stop, ended := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() { // a worker that announces itself
		ended <- natslimit.Consume(context.Background(), consumer, sweetspot.New(), func(context.Context, jetstream.Msg) error {
			close(busy)
			<-stop
			return nil
		}, natslimit.Announce(nc, "machine-1", nil), natslimit.Drain(stop))
	}()
	<-busy
	got, err := kedascale.New(nc).GetMetrics(context.Background(), &pb.GetMetricsRequest{ScaledObjectRef: billing, MetricName: "workers"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("there should be", got.MetricValues[0].MetricValueFloat)
	close(stop)
	fmt.Println(<-ended)
	// Output:
	// there should be 1
	// <nil>
}
