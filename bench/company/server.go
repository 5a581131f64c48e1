package main

import (
	"context"
	"math/rand/v2"
	"net"
	"net/rpc"
	"sync/atomic"
	"time"
)

// A server serves units over TCP, by net/rpc.
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
	r := rpc.NewServer()
	if err := r.RegisterName("desk", &desk{server: s, free: make(chan struct{}, s.places)}); err != nil {
		return "", err
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go r.ServeConn(c)
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

// Ask serves a unit. What it is given and what it answers mean nothing.
func (d *desk) Ask(_ bool, _ *bool) error {
	d.serve()
	return nil
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

// ask has the server at the other end serve a unit. Any number of goroutines may ask it at once.
func ask(c *rpc.Client) error { return c.Call("desk.Ask", true, new(bool)) }
