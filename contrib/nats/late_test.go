package natslimit_test

import (
	"bytes"
	"context"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/sweetspot-go/sweetspot"
)

// TestOverLateWord: what the server says late of a request is not taken for the answer to
// the next one, whose messages would then be left lying.
func TestOverLateWord(t *testing.T) {
	s := serve(t, jetstream.ConsumerConfig{AckWait: time.Hour})
	s.over = true
	spy, _ := s.connect()
	var last string
	var said atomic.Int64
	must(spy.Subscribe("$JS.API.CONSUMER.MSG.NEXT.jobs.work", func(m *nats.Msg) {
		if bytes.Contains(m.Data, []byte("idle_heartbeat")) {
			return // of the poll
		}
		if last != "" {
			said.Add(1)
			spy.PublishMsg(&nats.Msg{Subject: last, Header: nats.Header{"Status": {"408"}, "Description": {"Request Timeout"}}})
		}
		last = m.Reply
	}))
	must(0, spy.Flush())
	s.push(0, 300)
	var c tally
	end := s.consume(setTo(sweetspot.New(), 8), c.handle)
	s.eventually("all are done", func() bool { return c.different() == 300 && s.finished() })
	must(0, end())
	if said.Load() == 0 {
		t.Error("nothing was said late")
	}
}

// TestOverSlowNetwork: a batch that takes long to arrive, but arrives, is waited for.
func TestOverSlowNetwork(t *testing.T) {
	s := serve(t, jetstream.ConsumerConfig{AckWait: time.Hour})
	const n, size = 9, 64 << 10
	for i := range n {
		must(s.js.Publish(t.Context(), "jobs.a", bytes.Repeat([]byte{'0' + byte(i)}, size)))
	}
	nc := must(nats.Connect(slow(t, s.server.ClientURL(), size/4, 75*time.Millisecond)))
	defer nc.Close()
	s.js = must(jetstream.New(nc))
	s.consumer = must(s.js.Consumer(t.Context(), "jobs", "work"))
	s.over = true
	var done atomic.Int64
	end := s.consume(setTo(sweetspot.New(), n), func(context.Context, jetstream.Msg) error {
		done.Add(1)
		return nil
	})
	s.eventually("all are done", func() bool { return done.Load() == n })
	must(0, end())
}

// slow returns the URL of a network to the server at url, over which size bytes come in
// each pause.
func slow(t *testing.T, url string, size int, pause time.Duration) string {
	at := must(net.Listen("tcp", "127.0.0.1:0"))
	t.Cleanup(func() { at.Close() })
	go func() {
		for {
			client, err := at.Accept()
			if err != nil {
				return
			}
			server := must(net.Dial("tcp", url[len("nats://"):]))
			go func() {
				defer server.Close()
				pass(server, client, size, 0)
			}()
			go func() {
				defer client.Close()
				pass(client, server, size, pause)
			}()
		}
	}()
	return "nats://" + at.Addr().String()
}

// pass copies what comes from one to the other, with a pause after each full piece.
func pass(to, from net.Conn, size int, pause time.Duration) {
	piece := make([]byte, size)
	for {
		n, err := from.Read(piece)
		if n > 0 {
			_, _ = to.Write(piece[:n])
		}
		if err != nil {
			return
		}
		time.Sleep(pause * time.Duration(n) / time.Duration(size))
	}
}
