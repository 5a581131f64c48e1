package main

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"time"

	"github.com/sweetspot-go/sweetspot/limit"
)

const (
	pages    = 64       // files to ask for in turn
	pageSize = 20 << 10 // of each, bytes
)

var page = strings.Repeat("0123456789abcde\n", pageSize/16)

// nginxConfig lacks the addresses of nginx and of the server behind it.
//
//go:embed nginx.conf
var nginxConfig string

func openFiles(ctx context.Context, h *host) (unit, error) { return openNginx(ctx, h, "/", nowhere) }

// nowhere is the address of an upstream that nobody asks.
const nowhere = "127.0.0.1:1"

// openLimited returns units that get a page that is sent slowly, and to 16 at a
// time.
func openLimited(ctx context.Context, h *host) (unit, error) {
	return openNginx(ctx, h, "/limited/", nowhere)
}

const (
	upstreamSlots               = 16
	upstreamLeast, upstreamMost = 5 * time.Millisecond, 15 * time.Millisecond
)

// openUpstream returns units that get a page from a server behind nginx. It makes 16 at a
// time, within 5 to 15 ms each; others wait.
func openUpstream(ctx context.Context, h *host) (unit, error) {
	slots := limit.New(upstreamSlots)
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if slots.Acquire(r.Context()) != nil {
			return // the client has gone
		}
		time.Sleep(upstreamLeast + rand.N(upstreamMost-upstreamLeast))
		slots.Release()
		io.WriteString(w, page)
	}))
	h.atEnd(slow.Close)
	return openNginx(ctx, h, "/upstream/", slow.Listener.Addr().String())
}

// openNginx starts nginx and returns units that get a page of a folder.
func openNginx(ctx context.Context, h *host, folder, upstream string) (unit, error) {
	program, err := find("nginx")
	if err != nil {
		return nil, err
	}
	for i := range pages {
		if err := h.write(fmt.Sprint(i), page); err != nil {
			return nil, err
		}
	}
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	if err := h.write("nginx.conf", strings.NewReplacer("ADDRESS", address, "UPSTREAM", upstream).Replace(nginxConfig)); err != nil {
		return nil, err
	}
	err = h.start(ctx, server{
		program: program, args: []string{"-p", h.dir, "-c", h.path("nginx.conf"), "-e", "stderr"},
		stop: syscall.SIGTERM, ready: accepts("tcp", address),
	})
	if err != nil {
		return nil, err
	}
	transport := &http.Transport{MaxIdleConnsPerHost: 1 << 20}
	h.atEnd(transport.CloseIdleConnections)
	base := "http://" + address + folder
	return func(ctx context.Context) error {
		return get(ctx, transport, base+fmt.Sprint(rand.IntN(pages)))
	}, nil
}

func get(ctx context.Context, by http.RoundTripper, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := by.RoundTrip(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	n, err := io.Copy(io.Discard, resp.Body) // all of it, so that the connection is used again
	switch {
	case err != nil:
		return err
	case resp.StatusCode == http.StatusTooManyRequests:
		return errRefused
	case resp.StatusCode != http.StatusOK || n != pageSize:
		return fmt.Errorf("GET %s: %s with %d bytes, want %d", url, resp.Status, n, pageSize)
	}
	return nil
}
