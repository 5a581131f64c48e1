package main

import (
	"context"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// A server serves units over TCP: one byte asks, one byte answers.
type server struct {
	places  int
	service float64 // ms
	crowd   int     // present before it slows down, those that queue included; 0: it never does
}

// listen serves on an address of loopback until ctx is done, and returns it.
func (s *server) listen(ctx context.Context) (address string, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	context.AfterFunc(ctx, func() { l.Close() })
	d := &desk{server: s, free: make(chan struct{}, s.places)}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go d.attend(ctx, c)
		}
	}()
	return l.Addr().String(), nil
}

// A desk is where the units of a server queue.
type desk struct {
	*server
	present atomic.Int64
	free    chan struct{}
}

// attend serves a connection until it is closed or ctx is done.
func (d *desk) attend(ctx context.Context, c net.Conn) {
	defer c.Close()
	defer context.AfterFunc(ctx, func() { c.Close() })()
	b := make([]byte, 1)
	for {
		if _, err := c.Read(b); err != nil {
			return
		}
		d.serve()
		if _, err := c.Write(b); err != nil {
			return
		}
	}
}

func (d *desk) serve() {
	d.present.Add(1)
	defer d.present.Add(-1)
	d.free <- struct{}{}
	defer func() { <-d.free }()
	time.Sleep(d.takes(rand.Float64(), int(d.present.Load())))
}

// takes returns how long a unit is served, by a number from 0 to 1, while so many are there.
func (s *server) takes(x float64, present int) time.Duration {
	ms := s.service * (0.7 + 0.6*x)
	if s.crowd > 0 {
		ms *= max(1, float64(present)/float64(s.crowd))
	}
	return time.Duration(ms * float64(time.Millisecond))
}

// A client keeps its connections to a server.
type client struct {
	address string
	mu      sync.Mutex
	idle    []net.Conn
}

func (c *client) ask() error {
	conn, err := c.take()
	if err != nil {
		return err
	}
	b := []byte{1}
	if _, err = conn.Write(b); err == nil {
		_, err = conn.Read(b)
	}
	if err != nil {
		conn.Close()
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.idle = append(c.idle, conn)
	return nil
}

func (c *client) take() (net.Conn, error) {
	c.mu.Lock()
	if n := len(c.idle); n > 0 {
		conn := c.idle[n-1]
		c.idle = c.idle[:n-1]
		c.mu.Unlock()
		return conn, nil
	}
	c.mu.Unlock()
	return net.Dial("tcp", c.address)
}

func (c *client) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range c.idle {
		conn.Close()
	}
}
