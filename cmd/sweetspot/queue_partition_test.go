//go:build unix

package main_test

import (
	"net"
	"sync"
	"testing"
)

// A network leads to a server, and can be cut: then what is under way stays there, and
// nobody sees a connection end.
type network struct {
	url  string
	gate sync.RWMutex // held by a cut

	mu    sync.Mutex
	conns map[net.Conn]bool
}

// connects returns a network to a server that may come and go.
func connects(t *testing.T, server string) *network {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n := &network{url: "nats://" + l.Addr().String(), conns: map[net.Conn]bool{}}
	t.Cleanup(func() { l.Close(); n.reset() })
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go n.join(client, server)
		}
	}()
	return n
}

func (n *network) join(client net.Conn, address string) {
	defer client.Close()
	n.gate.RLock() // who connects waits, too
	server, err := net.Dial("tcp", address)
	n.gate.RUnlock()
	if err != nil {
		return
	}
	defer server.Close()
	n.mu.Lock()
	n.conns[client], n.conns[server] = true, true
	n.mu.Unlock()
	var both sync.WaitGroup
	both.Go(func() { n.pass(server, client) })
	both.Go(func() { n.pass(client, server) })
	both.Wait()
	n.mu.Lock()
	delete(n.conns, client)
	delete(n.conns, server)
	n.mu.Unlock()
}

// pass lets through what comes from one to the other.
func (n *network) pass(to, from net.Conn) {
	piece := make([]byte, 64<<10)
	for {
		got, err := from.Read(piece)
		n.gate.RLock()
		if got > 0 && err == nil {
			_, err = to.Write(piece[:got])
		}
		n.gate.RUnlock()
		if err != nil {
			to.Close()
			from.Close()
			return
		}
	}
}

// reset ends all connections.
func (n *network) reset() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for c := range n.conns {
		c.Close()
	}
}
