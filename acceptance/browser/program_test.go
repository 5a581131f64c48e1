package browser_test

import (
	"context"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/dash"
)

// A program has two Limiters, of which one works, and serves the page of them.
// Limiters outlive a stop, as those of another program at the same address would
// be there again.
type program struct {
	t           *testing.T
	fetch, rest *sweetspot.Limiter
	first       string // who names no Limiter sees that one, "" for fetch, the oldest
	addr        string
	server      *http.Server
	served      chan error
}

func newProgram(t *testing.T) *program {
	p := &program{
		t: t, addr: "127.0.0.1:0",
		fetch: sweetspot.New(sweetspot.Name("fetch"), sweetspot.Start(4), sweetspot.Max(8)),
		rest:  sweetspot.New(sweetspot.Name("rest"), sweetspot.Start(2)),
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	for range 20 {
		go func() {
			defer func() { ended <- struct{}{} }()
			for p.fetch.Do(ctx, func(ctx context.Context) error {
				select {
				case <-time.After(10 * time.Millisecond):
				case <-ctx.Done():
				}
				return nil
			}) == nil {
			}
		}()
	}
	t.Cleanup(func() {
		p.stop()
		cancel()
		for range 20 {
			<-ended
		}
	})
	p.start()
	return p
}

// start serves, at the address it served before if it did.
func (p *program) start() {
	p.t.Helper()
	l, err := net.Listen("tcp", p.addr)
	if err != nil {
		p.t.Fatal(err)
	}
	p.addr = l.Addr().String()
	page, first := dash.Handler(dash.Control()), p.first
	mux := http.NewServeMux()
	mux.HandleFunc("/limits/", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.RawQuery == "limiter=" {
			r.URL.RawQuery += first
		}
		page.ServeHTTP(w, r)
	})
	p.server = &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	p.served = make(chan error, 1)
	go func() { p.served <- p.server.Serve(l) }()
}

// stop breaks all connections.
func (p *program) stop() {
	if p.server == nil {
		return
	}
	if err := p.server.Close(); err != nil {
		p.t.Error(err)
	}
	<-p.served
	p.server = nil
}

func (p *program) url() string { return "http://" + p.addr + "/limits/" }
