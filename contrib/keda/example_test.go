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
	"google.golang.org/grpc"

	"github.com/sweetspot-go/sweetspot/contrib/keda"
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
