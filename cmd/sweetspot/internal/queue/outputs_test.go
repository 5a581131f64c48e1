package queue_test

import (
	"bytes"
	"context"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/queue"
)

// Long outputs come over a slow link, too: what bounds a request to the server does not bound them.
func TestOutputsOverSlowLink(t *testing.T) {
	t.Parallel()
	h := queue.OpenHome(t.TempDir())
	q := serving(t, h)
	output := bytes.Repeat([]byte("long "), 200_000)
	o, err := q.Upload(t.Context(), 1, output)
	if err != nil {
		t.Fatal(err)
	}
	// It comes in 16 pieces at least, with 15 pauses: no request may take so long here.
	url := slowLink(t, strings.TrimPrefix(h.URL(), "nats://"), 250*time.Millisecond)
	far, done, err := queue.OpenServer(t.Context(), url, h.Path("user.nk"), "q")
	t.Cleanup(done)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context()) // a deadline would hold for requests, too
	defer cancel()
	defer time.AfterFunc(time.Minute, cancel).Stop()
	if got, err := far.Download(ctx, 1, o, 3*time.Second); err != nil || !bytes.Equal(got, output) {
		t.Errorf("%d bytes came, %v; want the %d that were stored", len(got), err, len(output))
	}
}

// slowLink leads to a server, and waits after each piece of at most 64 KiB that comes from there.
// It returns the URL of its other end.
func slowLink(t *testing.T, server string, pause time.Duration) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	t.Cleanup(func() { l.Close(); all.Wait() })
	pass := func(to, from net.Conn, pause time.Duration) {
		defer to.Close()
		defer from.Close()
		piece := make([]byte, 64<<10)
		for {
			n, err := from.Read(piece)
			if err == nil {
				_, err = to.Write(piece[:n])
			}
			if err != nil {
				return
			}
			time.Sleep(pause)
		}
	}
	all.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", server)
			if err != nil {
				client.Close()
				return
			}
			all.Go(func() { pass(far, client, 0) })
			all.Go(func() { pass(client, far, pause) })
		}
	})
	return "nats://" + l.Addr().String()
}
