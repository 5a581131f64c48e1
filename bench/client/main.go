package main

import (
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/httplimit"
)

var (
	workers    = flag.Int("workers", 50, "workers, each with one request at a time")
	capacity   = flag.Int("cap", 20, "requests that the API takes at a time")
	capacity2  = flag.Int("cap2", 0, "requests that it takes from half-time on; 0: as many")
	service    = flag.Duration("service", 20*time.Millisecond, "mean time of an answer")
	spread     = flag.Float64("spread", 0.3, "coefficient of variation of that time")
	retryAfter = flag.Int("retry-after", 0, "seconds that refusals ask to wait for; 0: they do not say")
	length     = flag.Duration("for", 30*time.Second, "length of our run")
	each       = flag.Duration("each", 3*time.Second, "length of the run of each fixed number")
	fixed      = flag.String("fixed", "10,16,18,19,20,21,22,24,30,50", "fixed numbers to compare with")
	table      = flag.Int("suite", 0, "rounds of all the scenes of the table; nothing else is run then")
	only       = flag.String("only", "", "scenes of the table whose name has this in it")
	abreast    = flag.Int("abreast", 1, "scenes of the table at a time")
	trace      = flag.Bool("trace", false, "print every decision")
)

// warm is what the bar leaves out of the refusals: the search begins without
// any knowledge.
const warm = 5 * time.Second

// A tally counts what became of requests.
type tally struct{ done, refused, failed atomic.Int64 }

// A result is what a run brought.
type result struct {
	rate        float64 // answers a second, the search included
	rateWarm    float64 // after warm
	refused     float64 // share of the requests
	refusedWarm float64 // after warm, if it took longer
	failed      int64
}

func main() {
	flag.Parse()
	if *table > 0 {
		suite(*table, max(1, *abreast), scenes())
		return
	}
	var numbers []int
	for f := range strings.SplitSeq(*fixed, ",") {
		n, err := strconv.Atoi(f)
		if err != nil || n < 1 {
			fmt.Fprintf(os.Stderr, "client: -fixed %s: want numbers from 1 on, such as 10,20,30\n", *fixed)
			os.Exit(2)
		}
		numbers = append(numbers, n)
	}
	s := byFlags()
	sweep := make(map[int]result)
	for _, n := range numbers {
		sweep[n] = s.run(n, *each, false)
	}
	best := bestOf(numbers, sweep)
	// At the same time, so that both have the same machine.
	var ours, theirs result
	var wg sync.WaitGroup
	wg.Go(func() { ours = s.run(0, *length, *trace) })
	wg.Go(func() { theirs = s.run(best, *length, false) })
	wg.Wait()

	for _, n := range numbers {
		r := sweep[n]
		fmt.Printf("fixed %4d: %7.1f/s  %.3f of the best  refused %5.1f %%\n", n, r.rate, r.rate/sweep[best].rate, 100*r.refused)
	}
	fmt.Printf("\nat the same time, for %v:\n", *length)
	fmt.Printf("fixed %4d: %7.1f/s  after %v %7.1f/s  refused %5.2f %%\n", best, theirs.rate, warm, theirs.rateWarm, 100*theirs.refused)
	fmt.Printf("ours      : %7.1f/s  after %v %7.1f/s  refused %5.2f %%, after %v %.2f %%, failed %d\n",
		ours.rate, warm, ours.rateWarm, 100*ours.refused, warm, 100*ours.refusedWarm, ours.failed)
	fmt.Printf("ratio     : %7.3f    after %v %7.3f\n", ours.rate/theirs.rate, warm, ours.rateWarm/theirs.rateWarm)
}

// mostRefused is the share of the requests that may be refused to a client that
// behaves. Who asks on and on gets as much out of an API, and hammers it: then it is
// the CPUs that decide, and those of the other client in the same run as well.
const mostRefused = 0.02

// bestOf returns the number with the most answers, of those that behave if any does.
func bestOf(numbers []int, sweep map[int]result) int {
	behaves := func(n int) bool { return sweep[n].refusedWarm <= mostRefused }
	best := numbers[0]
	for _, n := range numbers {
		if behaves(n) == behaves(best) && sweep[n].rate > sweep[best].rate || behaves(n) && !behaves(best) {
			best = n
		}
	}
	return best
}

// byFlags returns the scene that the flags describe.
func byFlags() scene {
	return scene{workers: *workers, connect: loopback, service: func() (http.Handler, func()) {
		a := &api{service: *service, spread: *spread, retryAfter: *retryAfter}
		a.capacity.Store(int64(*capacity))
		if *capacity2 == 0 {
			return a, func() {}
		}
		change := time.AfterFunc(*length/2, func() { a.capacity.Store(int64(*capacity2)) })
		return a, func() { change.Stop() }
	}}
}

// loopback connects to a handler by a server on the loopback interface.
func loopback(h http.Handler, workers int) (base http.RoundTripper, url string, over func()) {
	server := httptest.NewServer(h)
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = workers
	return t, server.URL, func() {
		t.CloseIdleConnections()
		server.Close()
	}
}

// askAgain is when a worker with a fixed number that is refused asks again.
const askAgain = 20 * time.Millisecond

// plain lets so many requests be sent at a time, whatever is said of when to ask again.
type plain struct {
	http.RoundTripper
	permits chan struct{}
}

func (p plain) RoundTrip(req *http.Request) (*http.Response, error) {
	p.permits <- struct{}{}
	resp, err := p.RoundTripper.RoundTrip(req)
	<-p.permits
	if err == nil && resp.StatusCode != http.StatusOK {
		time.Sleep(askAgain)
	}
	return resp, err
}

// run lets the workers ask for d, so many at a time, or as many as our Transport finds if
// that is 0.
func (s scene) run(fixed int, d time.Duration, trace bool) result {
	h, end := s.service()
	defer end()
	base, url, over := s.connect(h, s.workers)
	defer over()
	var l *sweetspot.Limiter
	client := &http.Client{Transport: plain{base, make(chan struct{}, fixed)}}
	if fixed == 0 {
		client.Transport = &httplimit.Transport{
			Base: base,
			NewLimiter: func(string) *sweetspot.Limiter {
				l = sweetspot.New()
				return l
			},
		}
	}
	var all, early tally
	began := time.Now()
	var wg sync.WaitGroup
	for range s.workers {
		wg.Go(func() {
			for time.Since(began) < d {
				at := time.Since(began)
				t := &all
				if at < warm {
					t = &early
				}
				t.count(client, url, func() bool { return time.Since(began) < d })
			}
		})
	}
	wg.Wait()
	if trace && l != nil {
		for _, c := range l.Decisions() {
			fmt.Println(c.At.Round(time.Millisecond), c.Reason)
		}
		fmt.Println("limit", l.Limit())
	}
	late := d - min(d, warm)
	done, refused := float64(all.done.Load()), float64(all.refused.Load())
	r := result{rateWarm: done / late.Seconds(), refusedWarm: refused / max(1, done+refused), failed: all.failed.Load() + early.failed.Load()}
	done, refused = done+float64(early.done.Load()), refused+float64(early.refused.Load())
	r.rate, r.refused = done/d.Seconds(), refused/max(1, done+refused)
	if late == 0 {
		r.rateWarm, r.refusedWarm = r.rate, r.refused
	}
	return r
}

// count sends one request and counts what became of it, if that was in time.
func (t *tally) count(client *http.Client, url string, inTime func() bool) {
	resp, err := client.Get(url)
	if err != nil {
		t.failed.Add(1)
		return
	}
	io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	if !inTime() {
		return
	}
	switch resp.StatusCode {
	case http.StatusOK:
		t.done.Add(1)
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		t.refused.Add(1)
	default:
		t.failed.Add(1)
	}
}
