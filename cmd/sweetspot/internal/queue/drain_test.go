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

// After a restart of the server drain waits for a worker that has yet to connect again, also if the server cut
// that one's connection first.
func TestDrainAfterRestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h := queue.OpenHome(dir)
	q := serving(t, h)
	if err := q.Push(t.Context(), "long"); err != nil {
		t.Fatal(err)
	}
	var away atomic.Bool
	var conn net.Conn // the worker's
	dial := func(network, address string) (net.Conn, error) {
		if away.Load() {
			return nil, errors.New("away")
		}
		var err error
		conn, err = net.Dial(network, address)
		return conn, err
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
	cut, restarted := make(chan struct{}), make(chan struct{})
	q.BeforeInfo(func() {
		close(cut)
		<-restarted
	})
	_, before := q.Asked()
	go func() { drained <- q.Drain(t.Context()) }()
	address, err := url.Parse(h.URL())
	if err != nil {
		t.Fatal(err)
	}
	port, _ := strconv.Atoi(address.Port())
seen:
	for sent := before; sent < before+3; _, sent = q.Asked() { // its order, and two questions: the first one was answered
		select {
		case <-cut: // on a busy machine it was not
			break seen
		case <-time.After(time.Millisecond):
		}
	}
	away.Store(true)
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	<-cut
	h.Close()
	again := queue.OpenHome(dir)
	t.Cleanup(again.Close)
	if err := again.Serve(&server.Options{Host: "127.0.0.1", Port: port, AllowNonTLS: true}, nil); err != nil {
		t.Fatal(err)
	}
	for cuts := uint64(0); cuts == 0; cuts, before = q.Asked() {
		time.Sleep(time.Millisecond)
	}
	close(restarted)
	for sent := before; sent < before+10; _, sent = q.Asked() { // while the worker is away
		select {
		case err := <-drained:
			t.Fatalf("it has ended with %v while the job runs", err)
		case <-time.After(time.Millisecond):
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

// A job whose worker has died keeps drain for no longer than the lease.
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
