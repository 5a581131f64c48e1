package overload

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/bench/internal/testserver"
	"github.com/sweetspot-go/sweetspot/httplimit"
)

const (
	waits    = 5 * time.Millisecond // of each request
	computes = 2 * time.Millisecond

	warm   = 3 * time.Second // not counted
	length = 6 * time.Second
)

// servers limit requests, or not.
var servers = []struct {
	name string
	wrap func(http.Handler) http.Handler
}{
	{"unlimited", func(h http.Handler) http.Handler { return h }},
	{"sweetspot", func(h http.Handler) http.Handler { return new(httplimit.Server).Wrap(h) }},
}

// The environment variables that make a process one of the servers, and say how many
// digests it computes for a request.
const roleVariable, sumsVariable = "OVERLOAD_SERVER", "OVERLOAD_SUMS"

func TestMain(m *testing.M) {
	role := os.Getenv(roleVariable)
	for _, s := range servers {
		if s.name == role {
			sums, err := strconv.Atoi(os.Getenv(sumsVariable))
			if err == nil {
				err = testserver.Serve(echo(s.wrap(answer(sums))))
			}
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// clientsOf are whose clients ask: ours, and those of the real wrk.
var clientsOf = []struct {
	name string
	ask  func(t *tally, ctx context.Context, address string, clients int, warm, length time.Duration) error
}{{"ours", (*tally).hammer}, {"wrk", (*tally).wrk}}

// Benchmark measures what clients get of each server.
func Benchmark(b *testing.B) {
	sums := sumsIn(computes)
	for _, of := range clientsOf {
		for _, clients := range []int{16, 600} {
			for _, s := range servers {
				b.Run(fmt.Sprintf("of=%s/clients=%d/server=%s", of.name, clients, s.name), func(b *testing.B) {
					if _, err := exec.LookPath("wrk"); err != nil && of.name == "wrk" {
						b.Skip("wrk is not installed")
					}
					address := start(b, s.name, sums)
					var all tally
					for b.Loop() {
						if err := of.ask(&all, b.Context(), address, clients, warm, length); err != nil {
							b.Fatal(err)
						}
					}
					slices.Sort(all.took)
					b.ReportMetric(float64(len(all.took))/length.Seconds()/float64(b.N), "answers/s")
					b.ReportMetric(float64(all.refusals)/float64(max(1, len(all.took))), "refusals/answer")
					b.ReportMetric(1000*quantile(all.took, 0.99).Seconds(), "p99-ms")
					b.ReportMetric(float64(all.failed), "failed")
				})
			}
		}
	}
}

// Clients that hammer get answers from the unlimited server, and answers or refusals from
// one with a limit.
func TestHammer(t *testing.T) {
	for _, s := range servers {
		address := start(t, s.name, 100)
		var got tally
		var err error
		for try := 0; try < 100 && err == nil && len(got.took) == 0; try++ { // a busy machine takes its time
			err = got.hammer(t.Context(), address, 8, 20*time.Millisecond, 200*time.Millisecond)
		}
		if err != nil || len(got.took) == 0 || slices.Min(got.took) < waits || s.name == "unlimited" && got.refusals > 0 {
			t.Errorf("%s: %+v, %v", s.name, got, err)
		}
	}
}

// start starts a server, which computes so many digests for a request, and returns its address.
func start(tb testing.TB, name string, sums int) string {
	return testserver.Start(tb, roleVariable+"="+name, sumsVariable+"="+strconv.Itoa(sums))
}

// answer waits, computes so many digests, and answers.
func answer(sums int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(waits)
		sum(sums)
		w.WriteHeader(http.StatusNoContent)
	})
}

// A tally is what clients got.
type tally struct {
	refusals, failed int
	took             []time.Duration // answers
}

// hammer sends requests from so many clients, each with a connection of its own, and counts
// the answers after some time.
func (t *tally) hammer(ctx context.Context, address string, clients int, warm, length time.Duration) error {
	ctx, cancel := context.WithCancel(ctx) // a dialer ends before the deadline of its context
	defer cancel()
	defer time.AfterFunc(warm+length, cancel).Stop()
	counts := time.Now().Add(warm)
	each := make([]tally, clients)
	errs := make([]error, clients)
	var wg sync.WaitGroup
	for i := range clients {
		wg.Go(func() { errs[i] = each[i].client(ctx, address, counts) })
	}
	wg.Wait()
	for _, c := range each {
		t.refusals += c.refusals
		t.failed += c.failed
		t.took = append(t.took, c.took...)
	}
	return errors.Join(errs...)
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
			t.took = append(t.took, now.Sub(began))
		}
	}
}

// quantile returns the least of sorted times that the part q does not exceed.
func quantile(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
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
