package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/sweetspot-go/sweetspot/bench/internal/stats"
)

// A hammering measures clients that ask again at once, whatever the answer was, as wrk
// does. Their server, a process of its own, waits and computes for each request on the
// CPUs that the clients use, too.
type hammering struct {
	subjects []subject
	clients  []int
	warm     time.Duration // not counted
	length   time.Duration
	rounds   int
}

const (
	hammerWaits    = 5 * time.Millisecond
	hammerComputes = 2 * time.Millisecond
)

// unlimited admits everything.
var unlimited = subject{"unlimited", "no limit at all", func(h http.Handler) limited {
	return limited{h, func() int { return 0 }}
}}

// A tally is what clients got.
type tally struct {
	answers, refusals, failed int
	took                      []time.Duration // answers, sorted
	length                    time.Duration
}

func (t tally) rate() float64 { return float64(t.answers) / t.length.Seconds() }

// run measures all in alternation and prints medians.
func (m hammering) run(ctx context.Context, out io.Writer) error {
	sums := sumsIn(hammerComputes)
	all := map[string][]tally{}
	key := func(s subject, clients int) string { return fmt.Sprint(s.name, " ", clients) }
	for range m.rounds {
		for _, n := range m.clients {
			for _, s := range m.subjects {
				t, err := m.one(ctx, s, n, sums)
				if err != nil {
					return err
				}
				all[key(s, n)] = append(all[key(s, n)], t)
			}
		}
	}
	fmt.Fprintf(out, "%8s %-14s %10s %10s %14s %10s %10s %8s\n", "clients", "", "answers/s", "of none", "refused/answer", "p50", "p99", "failed")
	for _, n := range m.clients {
		free := column(all[key(unlimited, n)], tally.rate)
		for _, s := range m.subjects {
			ts := all[key(s, n)]
			fmt.Fprintf(out, "%8d %-14s %10.0f %10.3f %14.2f %10s %10s %8.0f\n", n, s.name,
				column(ts, tally.rate), column(ts, tally.rate)/free,
				column(ts, func(t tally) float64 { return float64(t.refusals) / float64(max(1, t.answers)) }),
				ms(time.Duration(column(ts, func(t tally) float64 { return float64(quantile(t.took, 0.5)) }))),
				ms(time.Duration(column(ts, func(t tally) float64 { return float64(quantile(t.took, 0.99)) }))),
				column(ts, func(t tally) float64 { return float64(t.failed) }))
		}
	}
	return nil
}

// column returns the median of a figure over the rounds.
func column(ts []tally, f func(tally) float64) float64 {
	var xs []float64
	for _, t := range ts {
		xs = append(xs, f(t))
	}
	return stats.Median(xs)
}

// one measures a subject in a server of its own.
func (m hammering) one(ctx context.Context, s subject, clients, sums int) (t tally, err error) {
	self, err := os.Executable()
	if err != nil {
		return t, err
	}
	server := exec.CommandContext(ctx, self, "-serve", s.name, "-sums", strconv.Itoa(sums))
	server.Stderr = os.Stderr
	in, err := server.StdinPipe()
	if err != nil {
		return t, err
	}
	out, err := server.StdoutPipe()
	if err != nil {
		return t, err
	}
	if err := server.Start(); err != nil {
		return t, err
	}
	defer func() {
		in.Close() // ends it
		server.Wait()
	}()
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return t, fmt.Errorf("the server of %s did not start: %w", s.name, err)
	}
	return hammer(ctx, strings.TrimSpace(address), clients, m.warm, m.length)
}

// hammer sends requests from so many clients, each with a connection of its own, and counts
// the answers after some time.
func hammer(ctx context.Context, address string, clients int, warm, length time.Duration) (tally, error) {
	ctx, cancel := context.WithTimeout(ctx, warm+length)
	defer cancel()
	counts := time.Now().Add(warm)
	each := make([]tally, clients)
	errs := make([]error, clients)
	var wg sync.WaitGroup
	for i := range clients {
		wg.Go(func() { errs[i] = each[i].client(ctx, address, counts) })
	}
	wg.Wait()
	all := tally{length: length}
	for i, t := range each {
		if errs[i] != nil {
			return all, errs[i]
		}
		all.answers += t.answers
		all.refusals += t.refusals
		all.failed += t.failed
		all.took = append(all.took, t.took...)
	}
	slices.Sort(all.took)
	return all, nil
}

// client asks until ctx ends. A connection that breaks counts as failed, and is made anew.
func (t *tally) client(ctx context.Context, address string, counts time.Time) error {
	for ctx.Err() == nil {
		c, err := new(net.Dialer).DialContext(ctx, "tcp", address)
		if err != nil && ctx.Err() == nil {
			return err
		}
		if err == nil && t.talk(ctx, c, counts) != nil && ctx.Err() == nil {
			t.failed++
		}
	}
	return nil
}

func (t *tally) talk(ctx context.Context, c net.Conn, counts time.Time) error {
	defer context.AfterFunc(ctx, func() { c.Close() })()
	defer c.Close()
	r := bufio.NewReader(c)
	for {
		began := time.Now()
		if _, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: hammer\r\n\r\n"); err != nil {
			return err
		}
		resp, err := http.ReadResponse(r, nil)
		if err != nil {
			return err
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			return err
		}
		switch now := time.Now(); {
		case now.Before(counts):
		case resp.StatusCode == http.StatusServiceUnavailable:
			t.refusals++
		default:
			t.answers++
			t.took = append(t.took, now.Sub(began))
		}
	}
}

// serve serves a subject until in ends, and writes its address to out first.
func serve(ctx context.Context, s subject, sums int, in io.Reader, out io.Writer) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: s.wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(hammerWaits)
		sum(sums)
		w.WriteHeader(http.StatusNoContent)
	}))}
	fmt.Fprintln(out, l.Addr())
	ctx, cancel := context.WithCancel(ctx)
	defer context.AfterFunc(ctx, func() { server.Close() })()
	go func() {
		io.Copy(io.Discard, in)
		cancel()
	}()
	if err := server.Serve(l); err != http.ErrServerClosed {
		return err
	}
	return nil
}

// sum computes n digests.
func sum(n int) (d [sha256.Size]byte) {
	for range n {
		d = sha256.Sum256(d[:])
	}
	return d
}

// sumsIn returns how many digests take that long, if nothing else runs: in the shortest of
// some tries.
func sumsIn(d time.Duration) int {
	const tried = 10_000
	least := time.Duration(1<<63 - 1)
	for range 20 {
		began := time.Now()
		sum(tried)
		least = min(least, time.Since(began))
	}
	return max(1, int(float64(tried)*float64(d)/float64(least)))
}
