package queue_test

import (
	"context"
	"errors"
	"net"
	"net/url"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/queue"
)

// After a restart of the server drain waits for a worker that has yet to connect again.
func TestDrainAfterRestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h := queue.OpenHome(dir)
	q := serving(t, h)
	if err := q.Push(t.Context(), "long"); err != nil {
		t.Fatal(err)
	}
	var away atomic.Bool
	dial := func(network, address string) (net.Conn, error) {
		if away.Load() {
			return nil, errors.New("away")
		}
		return net.Dial(network, address)
	}
	begun, finish, ended, drained := make(chan struct{}), make(chan struct{}), make(chan error, 1), make(chan error, 1)
	go func() {
		ended <- h.Work(t.Context(), "q", dial, func(context.Context, jetstream.Msg) error {
			close(begun)
			<-finish
			return nil
		}, begun)
	}()
	<-begun
	go func() { drained <- q.Drain(t.Context()) }()
	address, err := url.Parse(h.URL())
	if err != nil {
		t.Fatal(err)
	}
	port, _ := strconv.Atoi(address.Port())
	away.Store(true)
	h.Close()
	again := queue.OpenHome(dir)
	t.Cleanup(again.Close)
	if err := again.Serve(&server.Options{Host: "127.0.0.1", Port: port, AllowNonTLS: true}, nil); err != nil {
		t.Fatal(err)
	}
	var before uint64
	for asked := uint64(0); asked < 10; time.Sleep(time.Millisecond) { // while the worker is away
		select {
		case err := <-drained:
			t.Fatalf("it has ended with %v while the job runs", err)
		default:
		}
		if cuts, sent := q.Asked(); cuts > 0 {
			if before == 0 {
				before = sent
			}
			asked = sent - before
		}
	}
	away.Store(false)
	close(finish)
	for what, err := range map[string]error{"the worker": <-ended, "drain": <-drained} {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// A job that was taken and that nobody has any more, as after the death of its worker, keeps drain for
// no longer than the lease.
func TestDrainOfTheDead(t *testing.T) {
	t.Parallel()
	q := serving(t, queue.OpenHome(t.TempDir()))
	if err := q.Lease(t.Context(), time.Second/2); err != nil {
		t.Fatal(err)
	}
	if err := q.Push(t.Context(), "lost"); err != nil {
		t.Fatal(err)
	}
	if _, err := q.Runnable(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if err := q.Drain(t.Context()); err != nil {
		t.Error(err)
	}
}
