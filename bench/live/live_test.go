package live

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	_ "net/http/pprof" // for diagnose
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/bench/internal/program"
	"github.com/sweetspot-go/sweetspot/bench/internal/stats"
	"github.com/sweetspot-go/sweetspot/bench/internal/testserver"
)

const (
	clients = 8
	length  = 250 * time.Millisecond // of a measurement
	pairs   = 24                     // of measurements, before and after
	seconds = 3                      // of the recording
)

// role is the environment variable that makes a process a server.
const role = "LIVE_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(role) != "" {
		http.HandleFunc("/{$}", answer)
		fmt.Fprintln(os.Stderr, testserver.Serve(nil))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// answer computes some ten microseconds, and allocates.
func answer(w http.ResponseWriter, r *http.Request) {
	sums := map[string][]byte{}
	text := make([]byte, 1024)
	for i := range 8 {
		d := sha256.Sum256(text)
		copy(text, d[:])
		sums[fmt.Sprint("sum", i)] = d[:]
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(sums)
}

// A load is clients of a server that ask again as soon as they have an answer.
type load struct {
	address string
	keep    bool // their connections
	answers atomic.Int64
	failed  atomic.Pointer[error]
}

// run has the clients ask until ctx ends.
func (l *load) run(ctx context.Context) {
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() {
			for ctx.Err() == nil {
				if err := l.talk(ctx); err != nil && ctx.Err() == nil {
					l.failed.Store(&err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// talk asks over one connection.
func (l *load) talk(ctx context.Context) error {
	c, err := new(net.Dialer).DialContext(ctx, "tcp", l.address)
	if err != nil {
		return err
	}
	defer c.Close()
	defer context.AfterFunc(ctx, func() { c.Close() })()
	request := "GET / HTTP/1.1\r\nHost: live\r\n"
	if !l.keep {
		request += "Connection: close\r\n"
	}
	in := bufio.NewReader(c)
	for {
		if _, err := io.WriteString(c, request+"\r\n"); err != nil {
			return err
		}
		got, err := http.ReadResponse(in, nil)
		if err != nil {
			return err
		}
		if _, err := io.Copy(io.Discard, got.Body); err != nil {
			return err
		}
		if got.StatusCode != http.StatusOK {
			return errors.New(got.Status)
		}
		l.answers.Add(1)
		if !l.keep {
			return nil
		}
	}
}

// rate loads a server for some time, and returns the answers a second.
func rate(b *testing.B, address string, keep bool, long time.Duration) float64 {
	ctx, cancel := context.WithCancel(b.Context()) // a dialer ends before the deadline of its context
	defer cancel()
	defer time.AfterFunc(long, cancel).Stop()
	l := load{address: address, keep: keep}
	l.run(ctx)
	l.check(b)
	return float64(l.answers.Load()) / long.Seconds()
}

func (l *load) check(tb testing.TB) {
	if err := l.failed.Load(); err != nil {
		tb.Fatal(*err)
	}
}

// Benchmark measures each kind of clients with servers of their own.
func Benchmark(b *testing.B) {
	dir := b.TempDir()
	b.Chdir("..") // where Build wants to be
	sweetspot, err := program.Build(b.Context(), dir)
	if err != nil {
		b.Fatal(err)
	}
	for _, keep := range []bool{true, false} {
		b.Run(fmt.Sprintf("kept=%v", keep), func(b *testing.B) {
			for b.Loop() {
				measure(b, sweetspot, testserver.Start(b, role+"=1"), testserver.Start(b, role+"=1"), keep)
			}
		})
	}
}

// measure compares a server with its twin, has it recorded, and compares again.
func measure(b *testing.B, sweetspot, server, twin string, keep bool) {
	rate(b, server, keep, length) // warms up
	rate(b, twin, keep, length)
	compare := func() (ratio, alone float64) {
		var ratios, rates []float64
		for i := range pairs {
			first, second := server, twin
			if i%2 == 1 {
				first, second = twin, server
			}
			x, y := rate(b, first, keep, length), rate(b, second, keep, length)
			if i%2 == 1 {
				x, y = y, x
			}
			ratios, rates = append(ratios, x/y), append(rates, x)
		}
		return stats.Median(ratios), stats.Median(rates)
	}
	before, alone := compare()
	recording, reading := record(b, sweetspot, server, keep)
	after, _ := compare()
	b.ReportMetric(alone, "answers/s")
	b.ReportMetric(before, "before/twin")
	b.ReportMetric(after, "after/twin")
	b.ReportMetric(after/before, "after/before")
	b.ReportMetric(recording/alone, "recording/before")
	b.ReportMetric(reading/alone, "reading/before")
}

// record has a server recorded under load, and returns the answers a second until the last
// recording is there, and from then on until diagnose has ended.
func record(b *testing.B, sweetspot, server string, keep bool) (recording, reading float64) {
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	l := load{address: server, keep: keep}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		l.run(ctx)
	}()
	kept := b.TempDir()
	diagnose := exec.CommandContext(ctx, sweetspot, "diagnose", "--seconds", fmt.Sprint(seconds), "--keep", kept, "http://"+server+"/debug/pprof")
	var said strings.Builder
	diagnose.Stdout, diagnose.Stderr = &said, &said
	began := time.Now()
	if err := diagnose.Start(); err != nil {
		b.Fatal(err)
	}
	exited := make(chan error, 1)
	go func() { exited <- diagnose.Wait() }()
	var recorded time.Time
	var till int64
	for {
		select {
		case err := <-exited:
			all, now := l.answers.Load(), time.Now()
			cancel()
			<-ended
			l.check(b)
			if err != nil || recorded.IsZero() {
				b.Fatalf("%v, of which the recordings are there: %v: %s", err, !recorded.IsZero(), &said)
			}
			return float64(till) / recorded.Sub(began).Seconds(), float64(all-till) / now.Sub(recorded).Seconds()
		case <-time.After(10 * time.Millisecond):
			if _, err := os.Stat(filepath.Join(kept, "goroutine.pprof")); err == nil && recorded.IsZero() {
				recorded, till = time.Now(), l.answers.Load()
			}
		}
	}
}

// Clients of both kinds get answers until they are ended, and say why they do not.
func TestLoad(t *testing.T) {
	address := testserver.Start(t, role+"=1")
	for _, keep := range []bool{true, false} {
		ctx, cancel := context.WithCancel(t.Context())
		l := load{address: address, keep: keep}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			l.run(ctx)
		}()
		for l.answers.Load() < 100 && l.failed.Load() == nil {
			time.Sleep(time.Millisecond)
		}
		cancel()
		<-ended
		l.check(t)
	}
	l := load{address: "127.0.0.1:0"}
	l.run(t.Context())
	if l.failed.Load() == nil {
		t.Error("no server is there, and no client says so")
	}
}
