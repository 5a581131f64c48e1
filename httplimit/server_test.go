package httplimit_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/httplimit"
)

// standsAt returns a Limiter that stays at n.
func standsAt(n int) *sweetspot.Limiter { return setTo(sweetspot.New(), n) }

// request serves one request and returns the response.
func request(ctx context.Context, h http.Handler, path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(ctx, "GET", path, nil))
	return w
}

// takes is a handler that takes so long for each request.
func takes(d time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { time.Sleep(d) })
}

// byPath takes the priority from the path.
func byPath(r *http.Request) httplimit.Priority {
	return map[string]httplimit.Priority{
		"/sheddable": httplimit.Sheddable, "/normal": httplimit.Normal, "/critical": httplimit.Critical, "/exempt": httplimit.Exempt,
	}[r.URL.Path]
}

// As many as the limit run, as many again wait, and the rest is refused at once.
func TestServerAdmitsQueuesAndRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &httplimit.Server{Limiter: standsAt(4), Queue: 1, MaxWait: time.Minute}
		h := s.Wrap(takes(time.Second))
		var wg sync.WaitGroup
		var mu sync.Mutex
		statuses := map[int]int{}
		for range 11 {
			wg.Go(func() {
				w := request(t.Context(), h, "/")
				mu.Lock()
				statuses[w.Code]++
				mu.Unlock()
				if w.Code == http.StatusServiceUnavailable {
					if after, _ := strconv.Atoi(w.Header().Get("Retry-After")); after < 1 || after > 2 || !strings.Contains(w.Body.String(), "try again later") {
						t.Errorf("refused with Retry-After %d and %q", after, w.Body)
					}
				}
			})
		}
		synctest.Wait()
		if got := s.Stats(); got.Waiting != 4 || got.Full != 3 || s.Limiter.Stats().InFlight != 4 {
			t.Errorf("%+v with %d in flight, want 4 in flight, 4 waiting, 3 refused", got, s.Limiter.Stats().InFlight)
		}
		wg.Wait()
		if statuses[200] != 8 || statuses[503] != 3 {
			t.Errorf("statuses %v", statuses)
		}
		want := httplimit.ServerStats{Admitted: 8, Waited: 4, Full: 3}
		if got := s.Stats(); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
		if got := s.Limiter.Stats(); got.Completed != 8 || got.InFlight != 0 {
			t.Errorf("limiter %+v", got)
		}
	})
}

// Without a word twice as many as the limit may wait.
func TestServerQueuesTwiceTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &httplimit.Server{Limiter: standsAt(4), MaxWait: time.Minute}
		h := s.Wrap(takes(time.Second))
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() { request(t.Context(), h, "/") })
		}
		synctest.Wait()
		if got := s.Stats(); got.Waiting != 8 || got.Full != 8 {
			t.Errorf("%+v, want 8 waiting and 8 refused", got)
		}
		wg.Wait()
	})
}

// A Queue without an end refuses nobody.
func TestServerEndlessQueue(t *testing.T) {
	for _, queue := range []float64{1e30, math.Inf(1)} {
		synctest.Test(t, func(t *testing.T) {
			s := &httplimit.Server{Limiter: standsAt(4), Queue: queue, MaxWait: time.Minute}
			h := s.Wrap(takes(time.Second))
			var wg sync.WaitGroup
			for range 100 {
				wg.Go(func() { request(t.Context(), h, "/") })
			}
			synctest.Wait()
			if got := s.Stats(); got.Waiting != 96 || got.Full != 0 {
				t.Errorf("%v: %+v, want 96 waiting and none refused", queue, got)
			}
			wg.Wait()
		})
	}
}

// Who waits for too long is refused, and who goes away leaves the queue.
func TestServerDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &httplimit.Server{Limiter: standsAt(2), MaxWait: 100 * time.Millisecond, Status: http.StatusTooManyRequests, RetryAfter: 2500 * time.Millisecond}
		h := s.Wrap(takes(time.Second))
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() { request(t.Context(), h, "/") })
		}
		synctest.Wait()
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		wg.Go(func() { request(ctx, h, "/") })
		w := request(t.Context(), h, "/")
		if took := time.Since(began); took != 100*time.Millisecond {
			t.Errorf("refused after %v", took)
		}
		after, _ := strconv.Atoi(w.Header().Get("Retry-After"))
		if w.Code != 429 || after < 3 || after > 6 {
			t.Errorf("status %d, Retry-After %d, want 429 and 3 to 6", w.Code, after)
		}
		wg.Wait()
		if got := s.Stats(); got.Late != 1 || got.Gone != 1 || got.Waiting != 0 {
			t.Errorf("%+v, want one late and one gone", got)
		}
	})
}

// The less a request matters the sooner it is refused; what is exempt never is.
func TestServerPriorities(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &httplimit.Server{Limiter: standsAt(4), Queue: 1, Priority: byPath, MaxWait: time.Hour}
		h := s.Wrap(takes(time.Minute))
		var wg sync.WaitGroup
		waiting := func(path string, most int64) {
			for range 4 * most {
				wg.Go(func() { request(t.Context(), h, path) })
				synctest.Wait()
			}
			if got := s.Stats().Waiting; int64(got) != most {
				t.Errorf("%d wait after many at %s, want %d", got, path, most)
			}
		}
		for range 4 {
			wg.Go(func() { request(t.Context(), h, "/sheddable") })
		}
		synctest.Wait()
		waiting("/sheddable", 2)
		waiting("/normal", 4)
		waiting("/critical", 8)
		for range 10 {
			wg.Go(func() { request(t.Context(), h, "/exempt") })
		}
		synctest.Wait()
		if got := s.Stats(); got.Exempt != 10 || got.Admitted != 4 {
			t.Errorf("%+v, want 10 exempt", got)
		}
		wg.Wait()
	})
}

// However a handler ends, its permit comes back, and what was no success teaches
// nothing.
func TestServerGivesPermitsBack(t *testing.T) {
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		want    sweetspot.Outcome
	}{
		"returns":  {func(w http.ResponseWriter, r *http.Request) {}, sweetspot.Done},
		"writes":   {func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "x") }, sweetspot.Done},
		"404":      {http.NotFound, sweetspot.Done},
		"500":      {func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(500) }, sweetspot.Ignored},
		"429":      {func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(429) }, sweetspot.Ignored},
		"503":      {func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(503) }, sweetspot.Ignored},
		"103, 504": {func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(103); w.WriteHeader(504) }, sweetspot.Ignored},
		"panics":   {func(w http.ResponseWriter, r *http.Request) { panic("oops") }, sweetspot.Ignored},
		"aborts":   {func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) }, sweetspot.Ignored},
		"exits":    {func(w http.ResponseWriter, r *http.Request) { runtime.Goexit() }, sweetspot.Ignored},
		"a stream": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
			w.(http.Flusher).Flush()
		}, sweetspot.Ignored},
		"101": {func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(101) }, sweetspot.Ignored},
	} {
		t.Run(name, func(t *testing.T) {
			s := &httplimit.Server{Limiter: standsAt(1), Queue: -1}
			h := s.Wrap(c.handler)
			for range 3 {
				var got any
				done := make(chan struct{})
				go func() {
					defer close(done)
					defer func() { got = recover() }()
					request(t.Context(), h, "/")
				}()
				<-done
				if want := map[string]any{"panics": "oops", "aborts": http.ErrAbortHandler}[name]; got != want {
					t.Fatalf("panic %v, want %v", got, want)
				}
			}
			st := s.Limiter.Stats()
			counts := [...]int64{st.Completed, st.Ignored, st.Overloads}
			if st.InFlight != 0 || counts[c.want] != 3 || s.Stats().Admitted != 3 {
				t.Errorf("%+v, want 3 of outcome %d", st, c.want)
			}
		})
	}
}

// A request whose client has gone teaches nothing; one whose deadline, set by the server,
// has passed was too slow.
func TestServerWithoutAClient(t *testing.T) {
	s := &httplimit.Server{Limiter: standsAt(1)}
	h := s.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(time.Millisecond, cancel)
	request(ctx, h, "/")
	ctx, cancel = context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	request(ctx, h, "/")
	if st := s.Limiter.Stats(); st.Ignored != 1 || st.Overloads != 1 || st.InFlight != 0 {
		t.Errorf("%+v, want one ignored and one overload", st)
	}
}

func TestServerClassify(t *testing.T) {
	o := sweetspot.Overloaded
	s := &httplimit.Server{Limiter: standsAt(1), Classify: func(r *http.Request, status int) sweetspot.Outcome {
		if r.URL.Path != "/x" || status != 200 {
			t.Errorf("%s, %d", r.URL, status)
		}
		return o
	}}
	h := s.Wrap(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	request(t.Context(), h, "/x")
	o = 7
	func() {
		defer func() {
			if got := fmt.Sprint(recover()); !strings.Contains(got, "Classify returned 7: want Done") {
				t.Errorf("panic %q", got)
			}
		}()
		request(t.Context(), h, "/x")
	}()
	if st := s.Limiter.Stats(); st.Overloads != 1 || st.Ignored != 1 || st.InFlight != 0 {
		t.Errorf("%+v", st)
	}
}

func TestServerRefuse(t *testing.T) {
	s := &httplimit.Server{Limiter: standsAt(1), Queue: -1, Refuse: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusTeapot)
	})}
	if !s.Limiter.TryAcquire() {
		t.Fatal("no permit")
	}
	w := request(t.Context(), s.Wrap(takes(0)), "/")
	if w.Code != http.StatusTeapot || w.Header().Get("Retry-After") == "" {
		t.Errorf("status %d, header %v", w.Code, w.Header())
	}
	s.Limiter.Release()
}

func TestServerWrapNil(t *testing.T) {
	defer func() {
		if got := recover(); got != "httplimit: Server.Wrap(nil): want a handler" {
			t.Errorf("panic %v", got)
		}
	}()
	new(httplimit.Server).Wrap(nil)
}

// Where more requests come than can be served the queue becomes short, and long
// again when that is over.
func TestServerStandingQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &httplimit.Server{Limiter: standsAt(16), Queue: 1, MaxWait: time.Hour, Hold: -1}
		h := s.Wrap(takes(10 * time.Millisecond))
		var wg sync.WaitGroup
		load := func(perSecond int, d time.Duration) {
			for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(time.Second / time.Duration(perSecond)) {
				wg.Go(func() { request(t.Context(), h, "/") })
			}
		}
		load(800, 300*time.Millisecond)
		if s.Standing() {
			t.Error("at half of the capacity the queue is said to stand")
		}
		load(16000, 500*time.Millisecond)
		if got := s.Stats(); !s.Standing() || got.Waiting > 2 {
			t.Errorf("at ten times the capacity %d wait, want at most 2", got.Waiting)
		}
		load(800, 500*time.Millisecond)
		burst := func() { // more at a time than the short queue takes
			for range 30 {
				wg.Go(func() { request(t.Context(), h, "/") })
			}
			synctest.Wait()
		}
		time.Sleep(200 * time.Millisecond)
		burst()
		before := s.Stats().Full
		time.Sleep(400 * time.Millisecond)
		burst()
		if got := s.Stats(); s.Standing() || got.Full != before {
			t.Errorf("after the overload a burst of 30 has %d refused, standing %v", got.Full-before, s.Standing())
		}
		wg.Wait()
	})
}

// The handler gets the methods that the server's own ResponseWriter has.
func TestServerKeepsMethods(t *testing.T) {
	methods := func(w http.ResponseWriter) string {
		_, flush := w.(http.Flusher)
		_, hijack := w.(http.Hijacker)
		_, from := w.(io.ReaderFrom)
		_, str := w.(io.StringWriter)
		return fmt.Sprint(flush, hijack, from, str)
	}
	var without, with string
	s := &httplimit.Server{Limiter: standsAt(1)}
	inner := s.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		with = methods(w)
		rc := http.NewResponseController(w)
		if err := rc.SetWriteDeadline(time.Now().Add(time.Hour)); err != nil {
			t.Error(err)
		}
		w.Header().Set("X-From", "handler")
		if from, ok := w.(io.ReaderFrom); ok {
			from.ReadFrom(strings.NewReader("read "))
		}
		io.WriteString(w, "string ")
		w.Write([]byte("bytes"))
		if err := rc.Flush(); err != nil {
			t.Error(err)
		}
	}))
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		without = methods(w)
		inner.ServeHTTP(w, r)
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	one := server.Client().Transport.(*http.Transport).Clone()
	one.Protocols = new(http.Protocols)
	one.Protocols.SetHTTP1(true)
	one.TLSClientConfig.NextProtos = nil
	one.ForceAttemptHTTP2 = false
	defer one.CloseIdleConnections()
	for _, c := range []struct {
		client *http.Client
		proto  int
		body   string
	}{{server.Client(), 2, "string bytes"}, {&http.Client{Transport: one}, 1, "read string bytes"}} {
		resp, err := c.client.Get(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.ProtoMajor != c.proto || string(body) != c.body || err != nil || resp.Header.Get("X-From") != "handler" {
			t.Errorf("HTTP/%d: %q, %v", resp.ProtoMajor, body, err)
		}
		if with != without {
			t.Errorf("HTTP/%d: methods %s, and %s without a Server", c.proto, with, without)
		}
	}
	if st := s.Limiter.Stats(); st.Completed != 2 || st.InFlight != 0 {
		t.Errorf("%+v", st)
	}
}

// A hijacked connection holds no permit, though its handler runs on.
func TestServerHijack(t *testing.T) {
	s := &httplimit.Server{Limiter: standsAt(1), Queue: -1}
	hijacked, leave := make(chan struct{}), make(chan struct{})
	server := httptest.NewServer(s.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/plain" {
			return
		}
		c, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer c.Close()
		close(hijacked)
		<-leave
		rw.WriteString("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
		rw.Flush()
	})))
	defer server.Close()
	c, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprint(c, "GET /ws HTTP/1.1\r\nHost: x\r\n\r\n")
	<-hijacked
	resp, err := http.Get(server.URL + "/plain")
	if err != nil || resp.StatusCode != 200 {
		t.Errorf("beside a hijacked connection: %v, %v", resp, err)
	}
	resp.Body.Close()
	close(leave)
	if _, err := http.ReadResponse(bufio.NewReader(c), nil); err != nil {
		t.Error(err)
	}
	if st := s.Limiter.Stats(); st.Ignored != 1 {
		t.Errorf("%+v, want one ignored", st)
	}
}

// What a Server costs a request that is admitted at once.
func TestServerAllocations(t *testing.T) {
	s := &httplimit.Server{Limiter: standsAt(8)}
	h := s.Wrap(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	if err := s.Limiter.Acquire(t.Context()); err != nil { // the measuring goes on all the time
		t.Fatal(err)
	}
	defer s.Limiter.Release()
	w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil)
	if n := testing.AllocsPerRun(2000, func() { h.ServeHTTP(w, r) }); n > 1 {
		t.Errorf("%v allocations, want 1", n)
	}
}

// A server with ten slots of 50 ms, and five times as many requests: it does nearly
// all that it can, and nobody waits for long. All in virtual time.
func TestServerUnderOverload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &httplimit.Server{}
		slots := make(chan struct{}, 10)
		h := s.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			slots <- struct{}{}
			time.Sleep(50 * time.Millisecond)
			<-slots
		}))
		var wg sync.WaitGroup
		var mu sync.Mutex
		good, slow := 0, 0
		load := func(perSecond int, d time.Duration, counts bool) {
			for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(time.Second / time.Duration(perSecond)) {
				wg.Go(func() {
					began := time.Now()
					w := request(t.Context(), h, "/")
					mu.Lock()
					defer mu.Unlock()
					if took := time.Since(began); counts && w.Code == 200 {
						good++
						if took > 150*time.Millisecond {
							slow++
						}
					}
				})
			}
		}
		load(1000, 10*time.Second, false)
		load(1000, 20*time.Second, true)
		wg.Wait()
		if good < 3600 || slow > good/100 {
			t.Errorf("%d of 4000 possible, %d of them slower than three times the usual; limit %d", good, slow, s.Admits().Limit())
		}
	})
}

// BenchmarkServer is what a Server costs a request, beside none.
func BenchmarkServer(b *testing.B) {
	next := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	for name, h := range map[string]http.Handler{"none": next, "server": new(httplimit.Server).Wrap(next)} {
		b.Run(name, func(b *testing.B) {
			w, r := discard{http.Header{}}, httptest.NewRequest("GET", "/", nil)
			b.ReportAllocs()
			for b.Loop() {
				h.ServeHTTP(w, r)
			}
		})
	}
}

// discard is a ResponseWriter that keeps nothing.
type discard struct{ header http.Header }

func (d discard) Header() http.Header         { return d.header }
func (d discard) Write(p []byte) (int, error) { return len(p), nil }
func (d discard) WriteHeader(int)             {}

// setTo returns l with its limit fixed at n.
func setTo(l *sweetspot.Limiter, n int) *sweetspot.Limiter {
	l.SetLimit(n)
	return l
}

// MaxP99 is for the Limiter that a Server makes itself.
func TestServerMaxP99(t *testing.T) {
	s := &httplimit.Server{MaxP99: time.Second}
	if w := request(t.Context(), s.Wrap(takes(0)), "/"); w.Code != http.StatusOK {
		t.Errorf("status %d", w.Code)
	}
	defer func() {
		if got := fmt.Sprint(recover()); !strings.Contains(got, "both a Limiter and MaxP99: give sweetspot.MaxP99 to the Limiter") {
			t.Errorf("panic %q", got)
		}
	}()
	(&httplimit.Server{MaxP99: time.Second, Limiter: sweetspot.New()}).Wrap(takes(0))
}
