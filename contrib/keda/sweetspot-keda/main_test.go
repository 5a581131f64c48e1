package main

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	pb "github.com/kedacore/keda/v2/pkg/scalers/externalscaler"
	"github.com/nats-io/nats-server/v2/server"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
)

func TestRefuses(t *testing.T) {
	t.Setenv("NATS_URL", "")
	for want, args := range map[string][]string{
		"want -server URL":                  nil,
		`"extra" is left over`:              {"-server", "nats://127.0.0.1", "extra"},
		"-creds and -nkey":                  {"-server", "nats://127.0.0.1", "-creds", "a", "-nkey", "b"},
		"-cert and -key belong together":    {"-server", "nats://127.0.0.1", "-cert", "a"},
		"the key in absent":                 {"-server", "nats://127.0.0.1", "-nkey", "absent"},
		"flag provided but not defined: -x": {"-x"},
	} {
		if err := run(t.Context(), args, io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
}

// TestServes starts it as a container would, and asks it over the network.
func TestServes(t *testing.T) {
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: t.TempDir(), NoLog: true, NoSigs: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	defer s.WaitForShutdown()
	defer s.Shutdown()
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("the server does not start")
	}
	t.Setenv("NATS_URL", s.ClientURL())
	ctx, cancel := context.WithCancel(t.Context())
	out, said := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, []string{"-listen", "127.0.0.1:0"}, said)
		_ = said.Close()
	}()
	line := make([]byte, 200)
	n, err := out.Read(line)
	_, addr, ok := bytes.Cut(bytes.TrimSpace(line[:n]), []byte("serving at "))
	if err != nil || !ok {
		t.Fatalf("it says %q, %v", line[:n], err)
	}
	conn, err := grpc.NewClient(string(addr), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	h, err := grpc_health_v1.NewHealthClient(conn).Check(ctx, &grpc_health_v1.HealthCheckRequest{})
	if err != nil || h.Status != grpc_health_v1.HealthCheckResponse_SERVING {
		t.Errorf("health %v, %v", h, err)
	}
	_, err = pb.NewExternalScalerClient(conn).IsActive(ctx, &pb.ScaledObjectRef{ScalerMetadata: map[string]string{"queue": "pages"}})
	if err == nil || !strings.Contains(err.Error(), "consumer workers of stream sweetspot_pages") {
		t.Errorf("a queue that does not exist: %v", err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
