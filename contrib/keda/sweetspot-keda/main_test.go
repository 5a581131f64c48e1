package main

import (
	"bufio"
	"context"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	pb "github.com/kedacore/keda/v2/pkg/scalers/externalscaler"
	"github.com/nats-io/nats-server/v2/server"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
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

// refusals refuses so many connections.
type refusals struct{ left atomic.Int32 }

func (r *refusals) Check(server.ClientAuthentication) bool { return r.left.Add(-1) < 0 }

// TestServes starts it as a container would, and asks it over the network.
func TestServes(t *testing.T) { serves(t, 0) }

// TestServesInTheEnd: a server that refuses it at first, as while an account is set up, is asked
// again, and it says so.
func TestServesInTheEnd(t *testing.T) { serves(t, 2) }

func serves(t *testing.T, refused int32) {
	options := &server.Options{Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: t.TempDir(), NoLog: true, NoSigs: true}
	if refused > 0 {
		r := new(refusals)
		r.left.Store(refused)
		options.CustomClientAuthentication = r
	}
	s, err := server.NewServer(options)
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
	addr, told := "", refused == 0
	for lines := bufio.NewScanner(out); addr == "" || !told; {
		if !lines.Scan() {
			t.Fatalf("it ends with %v, serving at %q, refusal told: %v", <-ended, addr, told)
		}
		if _, at, ok := strings.Cut(lines.Text(), "serving at "); ok {
			addr = at
		}
		told = told || strings.Contains(lines.Text(), "cannot connect to NATS") && strings.Contains(lines.Text(), "Authorization")
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	h, err := grpc_health_v1.NewHealthClient(conn).Check(ctx, &grpc_health_v1.HealthCheckRequest{})
	if err != nil || h.Status != grpc_health_v1.HealthCheckResponse_SERVING {
		t.Errorf("health %v, %v", h, err)
	}
	for until := time.Now().Add(30 * time.Second); ; {
		_, err = pb.NewExternalScalerClient(conn).IsActive(ctx, &pb.ScaledObjectRef{ScalerMetadata: map[string]string{"queue": "pages"}})
		if status.Code(err) != codes.Unavailable || time.Now().After(until) {
			break
		}
	}
	if status.Code(err) != codes.NotFound || !strings.Contains(err.Error(), "consumer workers of stream sweetspot_pages") {
		t.Errorf("a queue that does not exist: %v", err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
