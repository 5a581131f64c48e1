package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// What the server can do.
const (
	places  = 24                    // requests served at a time
	service = 30 * time.Millisecond // time to serve one
	crowd   = 96                    // present (waiting or served) before it slows down
)

// A crowded server serves a few requests at a time and lets the others wait.
// Too many that wait make it slower for all, as caches, locks and memory do.
type crowded struct {
	present atomic.Int64
	free    chan struct{}
}

func newCrowded() *crowded {
	return &crowded{free: make(chan struct{}, places)}
}

// ServeHTTP answers once a place was free and the service is done.
func (s *crowded) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.present.Add(1)
	defer s.present.Add(-1)
	select {
	case s.free <- struct{}{}:
		defer func() { <-s.free }()
	case <-r.Context().Done():
		return
	}
	d := float64(service) * (0.9 + 0.2*rand.Float64())
	d *= max(1, float64(s.present.Load())/crowd)
	if sleep(r.Context(), time.Duration(d)) {
		_, _ = w.Write([]byte("ok\n"))
	}
}

// serve serves on a free port, which it prints, until the one who started it
// is gone.
func serve() error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: newCrowded(), ReadHeaderTimeout: time.Minute}
	go func() {
		orphaned()
		_ = server.Close()
	}()
	fmt.Println(l.Addr())
	if err := server.Serve(l); err != http.ErrServerClosed {
		return err
	}
	return nil
}

// runClients sends requests to a server, which is a process of its own.
func runClients(ctx context.Context, t task) (result, error) {
	s, err := startRole(roleServer, "")
	if err != nil {
		return result{}, fmt.Errorf("cannot start the server: %w", err)
	}
	defer s.kill()
	addr, err := s.line()
	if err != nil {
		return result{}, fmt.Errorf("the server did not start: %w", err)
	}
	// Connections are kept: to open them is not what is measured.
	transport := &http.Transport{MaxIdleConnsPerHost: maxIdle, MaxIdleConns: maxIdle}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	return stream(ctx, t, func(ctx context.Context) error { return get(ctx, client, "http://"+addr) })
}

// maxIdle is beyond any number of connections that a run opens.
const maxIdle = 100_000

// get fetches a page and drops it.
func get(ctx context.Context, c *http.Client, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := c.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("GET %s: %s", url, resp.Status)
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}
