package run

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/sweetspot-go/sweetspot/dash"
)

// uiFlag is where the live page is served, "" for nowhere.
type uiFlag struct{ host, port string }

// Set reads ADDR. A port alone is one of this machine only: nobody
// should open a door by leaving something out.
func (u *uiFlag) Set(s string) error {
	if s == "" {
		*u = uiFlag{}
		return nil
	}
	host, port, err := net.SplitHostPort(s)
	if err != nil {
		host, port = "", s
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || port != strconv.FormatUint(n, 10) || strings.ContainsAny(host, "/ ") {
		return fmt.Errorf("%q is not an address: want 8080, localhost:8080, 0.0.0.0:8080; port 0 is any that is free", s)
	}
	*u = uiFlag{cmp.Or(host, "127.0.0.1"), port}
	return nil
}

func (u *uiFlag) String() string {
	if u.port == "" {
		return ""
	}
	return net.JoinHostPort(u.host, u.port)
}

// A livePage serves the live page of a run. Everybody who reaches its address may
// look. Limits can be set below a path that nobody can guess: on a machine with
// several users, all of them reach it.
type livePage struct {
	server *http.Server
	cancel context.CancelFunc
	ended  sync.WaitGroup
}

// open begins to serve, and says where; it returns nil if nobody wants it.
func (u *uiFlag) open(c *console) (*livePage, error) {
	if u.port == "" {
		return nil, nil
	}
	l, err := net.Listen("tcp", u.String())
	if err != nil {
		if op, ok := errors.AsType[*net.OpError](err); ok {
			err = op.Err
		}
		return nil, fmt.Errorf("--ui: cannot serve at %s: %w", u, err)
	}
	host, port := u.reached(l.Addr())
	secret := "/" + rand.Text() + "/"
	var names []string
	if _, err := netip.ParseAddr(host); err != nil {
		names = append(names, host)
	}
	look, control := dash.Handler(), dash.Handler(dash.Control(names...))
	mux := http.NewServeMux()
	mux.Handle("/", look)
	mux.Handle(secret, control)

	recording, cancel := context.WithCancel(context.Background())
	p := &livePage{server: &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}, cancel: cancel}
	p.ended.Go(func() { _ = p.server.Serve(l) }) // ends by close only, unless the machine takes the listener away
	p.ended.Go(func() { _ = look.Record(recording) })
	p.ended.Go(func() { _ = control.Record(recording) })
	url := "http://" + net.JoinHostPort(host, port)
	c.say(fmt.Sprintf("The live page is at %s/ and, where it may change the limit, at %s%s", url, url, secret))
	return p, nil
}

// reached returns by which host and port others reach a listener.
func (u *uiFlag) reached(a net.Addr) (host, port string) {
	_, port, _ = net.SplitHostPort(a.String())
	if ip, err := netip.ParseAddr(u.host); err == nil && ip.IsUnspecified() {
		if name, err := os.Hostname(); err == nil && !strings.ContainsAny(name, ":/ ") && name != "" {
			return name, port
		}
	}
	return u.host, port
}

// farewell is how long close waits for requests under way. Streams end by
// themselves when the server shuts down, and all else is short.
var farewell = time.Second

// close ends the page. When it returns, nothing of it runs.
func (p *livePage) close() {
	if p == nil {
		return
	}
	p.cancel()
	ctx, cancel := context.WithTimeout(context.Background(), farewell)
	defer cancel()
	if p.server.Shutdown(ctx) != nil {
		_ = p.server.Close() // only the listener's, which is closed
	}
	p.ended.Wait()
}
