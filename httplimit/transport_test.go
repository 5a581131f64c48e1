package httplimit_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/httplimit"
)

// A trip is a RoundTripper that is a function.
type trip func(*http.Request) (*http.Response, error)

func (f trip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// answer returns a response with a body.
func answer(r *http.Request, status int, header ...string) *http.Response {
	h := make(http.Header)
	for i := 0; i < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader("body")), Request: r}
}

func get(t *testing.T, ctx context.Context, url string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// fixed returns a Transport whose hosts share the Limiter that it also returns.
func fixed(n int) (*httplimit.Transport, *sweetspot.Limiter) {
	l := setTo(sweetspot.New(), n)
	return &httplimit.Transport{NewLimiter: func(string) *sweetspot.Limiter { return l }}, l
}

func inFlight(t *testing.T, l *sweetspot.Limiter, want int, when string) {
	t.Helper()
	if n := l.Stats().InFlight; n != want {
		t.Errorf("%d permits held %s, want %d", n, when, want)
	}
}

// serve starts a server on loopback and returns its URL, and a client through
// the Transport, whose connections are its own.
func serve(t *testing.T, tr *httplimit.Transport, h http.HandlerFunc) (*http.Client, string) {
	t.Helper()
	s := httptest.NewServer(h)
	base := &http.Transport{MaxIdleConnsPerHost: 100}
	tr.Base = base
	t.Cleanup(func() {
		base.CloseIdleConnections()
		s.Close()
	})
	return &http.Client{Transport: tr}, s.URL
}

func TestPermitIsHeldUntilTheBodyEnds(t *testing.T) {
	tr, l := fixed(2)
	client, url := serve(t, tr, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/empty" {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		io.WriteString(w, strings.Repeat("x", 100_000))
	})
	do := func(method, path string) *http.Response {
		t.Helper()
		r, _ := http.NewRequest(method, url+path, nil)
		resp, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		return resp
	}

	resp := do("GET", "/")
	inFlight(t, l, 1, "with the body unread")
	if _, err := io.ReadFull(resp.Body, make([]byte, 99_999)); err != nil {
		t.Fatal(err)
	}
	inFlight(t, l, 1, "one byte before the end")
	if n, _ := io.Copy(io.Discard, resp.Body); n != 1 {
		t.Fatalf("%d bytes are left, want 1", n)
	}
	inFlight(t, l, 0, "at the end of the body")
	resp.Body.Close()
	resp.Body.Close()
	inFlight(t, l, 0, "after closing as well")

	resp = do("GET", "/")
	resp.Body.Close()
	inFlight(t, l, 0, "after closing an unread body")

	do("GET", "/empty")
	inFlight(t, l, 0, "where there is no body")
	do("HEAD", "/")
	inFlight(t, l, 0, "where the method has no body")

	if s := l.Stats(); s.Completed != 4 || s.Ignored+s.Overloads != 0 {
		t.Errorf("%d done, %d ignored, %d overloaded; want 4 done", s.Completed, s.Ignored, s.Overloads)
	}
}

// A request inside a unit of the Limiter of its host does not wait for itself.
func TestUnitCoversItsRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr, l := fixed(1)
		tr.Base = trip(func(r *http.Request) (*http.Response, error) { return answer(r, 200), nil })
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := l.Do(ctx, func(ctx context.Context) error {
			for range 2 { // the first body stays open
				if _, err := tr.RoundTrip(get(t, ctx, "http://h/")); err != nil {
					return err
				}
			}
			inFlight(t, l, 1, "in the unit")
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		inFlight(t, l, 0, "after it")
		if s := l.Stats(); s.Completed != 1 {
			t.Errorf("%d units done, want the one of Do", s.Completed)
		}
	})
}

func TestNoMoreRequestsThanPermits(t *testing.T) {
	const limit, requests = 3, 60
	tr, l := fixed(limit)
	var full sync.WaitGroup // the first requests wait for each other
	full.Add(limit)
	var served atomic.Int64
	client, url := serve(t, tr, func(w http.ResponseWriter, r *http.Request) {
		if served.Add(1) <= limit {
			full.Done()
			full.Wait()
		}
		io.WriteString(w, "words")
	})
	var now, most atomic.Int64
	base := tr.Base
	tr.Base = trip(func(r *http.Request) (*http.Response, error) {
		n := now.Add(1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		resp, err := base.RoundTrip(r)
		if err == nil {
			resp.Body = &counted{ReadCloser: resp.Body, now: &now}
		}
		return resp, err
	})
	var wg sync.WaitGroup
	for i := range requests {
		wg.Go(func() {
			resp, err := client.Get(url)
			if err != nil {
				t.Error(err)
				return
			}
			if i%2 == 0 {
				io.ReadFull(resp.Body, make([]byte, 3))
			}
			resp.Body.Close()
		})
	}
	wg.Wait()
	if m := most.Load(); m != limit {
		t.Errorf("%d requests at a time, want %d", m, limit)
	}
	inFlight(t, l, 0, "in the end")
	if s := l.Stats(); s.Completed != requests {
		t.Errorf("%d requests done, want %d", s.Completed, requests)
	}
}

// counted is a body whose request is over when it is closed.
type counted struct {
	io.ReadCloser
	now *atomic.Int64
}

func (c *counted) Close() error {
	defer c.now.Add(-1)
	return c.ReadCloser.Close()
}

func TestOutcomes(t *testing.T) {
	hang := make(chan struct{})
	reached := make(chan struct{}, 1) // a handler is about to hang
	wait := func(r *http.Request) {
		select {
		case reached <- struct{}{}:
		default:
		}
		select {
		case <-hang:
		case <-r.Context().Done():
		}
	}
	tr, _ := fixed(1)
	_, url := serve(t, tr, func(w http.ResponseWriter, r *http.Request) {
		var status int
		switch fmt.Sscanf(r.URL.Path, "/%d", &status); r.URL.Path {
		case "/hang":
			wait(r)
			return
		case "/partly":
			w.Write(make([]byte, 10))
			w.(http.Flusher).Flush()
			wait(r)
			return
		case "/broken":
			w.Header().Set("Content-Length", "100")
			w.Write(make([]byte, 10))
			return
		}
		w.WriteHeader(status)
	})
	t.Cleanup(func() { close(hang) })

	patience := 500 * time.Millisecond
	soon := func() (context.Context, context.CancelFunc) {
		return context.WithTimeoutCause(context.Background(), patience, errors.New("the caller's own words"))
	}
	cancelled := func() (context.Context, context.CancelFunc) {
		ctx, cancel := context.WithCancel(context.Background())
		go func() {
			select {
			case <-reached:
				cancel()
			case <-ctx.Done():
			}
		}()
		return ctx, cancel
	}
	background := func() (context.Context, context.CancelFunc) { return context.Background(), func() {} }
	// ask makes a request, and reports whether its time was over before it was sent.
	ask := func(url string, bounded func() (context.Context, context.CancelFunc)) (l *sweetspot.Limiter, late bool) {
		select {
		case <-reached: // from a request before
		default:
		}
		tr, l := fixed(1) // anew, or refusals in a row would make it pause
		tr.Base = &http.Transport{DisableKeepAlives: true}
		client := &http.Client{Transport: tr}
		ctx, cancel := bounded()
		defer cancel()
		if resp, err := client.Do(get(t, ctx, url)); err == nil {
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
		return l, ctx.Err() == context.DeadlineExceeded && len(reached) == 0
	}
	for _, test := range []struct {
		url  string
		ctx  func() (context.Context, context.CancelFunc)
		want sweetspot.Outcome
	}{
		{url + "/200", background, sweetspot.Done},
		{url + "/404", background, sweetspot.Done},
		{url + "/302", background, sweetspot.Done},
		{url + "/500", background, sweetspot.Ignored},
		{url + "/502", background, sweetspot.Ignored},
		{url + "/429", background, sweetspot.Overloaded},
		{url + "/503", background, sweetspot.Overloaded},
		{url + "/504", background, sweetspot.Overloaded},
		{url + "/hang", soon, sweetspot.Overloaded},
		{url + "/hang", cancelled, sweetspot.Ignored},
		{url + "/partly", soon, sweetspot.Overloaded},
		{url + "/partly", cancelled, sweetspot.Ignored},
		{url + "/broken", background, sweetspot.Ignored},
		{"http://127.0.0.1:1", background, sweetspot.Ignored}, // nobody listens there
	} {
		l, late := ask(test.url, test.ctx)
		for ; late && patience < 30*time.Second; l, late = ask(test.url, test.ctx) {
			patience *= 2
		}
		s := l.Stats()
		got := [3]int64{s.Completed, s.Ignored, s.Overloads}
		var want [3]int64
		want[test.want] = 1
		if got != want {
			t.Errorf("%s: %v done, ignored, overloaded; want %v", test.url, got, want)
		}
		inFlight(t, l, 0, "after "+test.url)
	}
}

// classifiers are the default, one that leaves all to it, and one that asks how the context ended.
var classifiers = []func(*http.Response, error) sweetspot.Outcome{
	nil,
	httplimit.ResponseOutcome,
	func(_ *http.Response, err error) sweetspot.Outcome {
		switch {
		case errors.Is(err, context.Canceled):
			return sweetspot.Ignored
		case errors.Is(err, context.DeadlineExceeded):
			return sweetspot.Overloaded
		}
		return sweetspot.Done
	},
}

// A lateContext is one whose deadline has just passed, and which does not say so yet.
type lateContext struct{ context.Context }

func (lateContext) Deadline() (time.Time, bool) { return time.Now(), true }

// The Timeout of an http.Client ends a request at the deadline of its context, and may do so
// before the context does.
func TestTimeoutOfAClient(t *testing.T) {
	cancelled := errors.New("net/http: request canceled")
	for name, base := range map[string]trip{
		"without an answer": func(*http.Request) (*http.Response, error) { return nil, cancelled },
		"in the body": func(r *http.Request) (*http.Response, error) {
			resp := answer(r, 200)
			resp.Body = io.NopCloser(iotest.ErrReader(cancelled))
			return resp, nil
		},
	} {
		for _, classify := range classifiers {
			tr, l := fixed(1)
			tr.Base, tr.Classify = base, classify
			if resp, err := tr.RoundTrip(get(t, lateContext{t.Context()}, "http://h/")); err == nil {
				io.ReadAll(resp.Body)
			}
			if s := l.Stats(); s.Overloads != 1 || s.InFlight != 0 {
				t.Errorf("%s: %d overloads, %d in flight; want 1 and 0", name, s.Overloads, s.InFlight)
			}
		}
	}
}

// A cancelled request is not an overload, even if it was cancelled because another one timed out.
func TestCancelledByATimeout(t *testing.T) {
	for _, classify := range classifiers {
		tr, l := fixed(1)
		tr.Classify = classify
		ctx, cancel := context.WithCancelCause(t.Context())
		tr.Base = trip(func(r *http.Request) (*http.Response, error) {
			cancel(os.ErrDeadlineExceeded)
			return nil, context.Cause(r.Context()) // as net/http does
		})
		if _, err := tr.RoundTrip(get(t, ctx, "http://h/")); err != os.ErrDeadlineExceeded {
			t.Errorf("error %v, want that of net/http", err)
		}
		if s := l.Stats(); s.Ignored != 1 || s.InFlight != 0 {
			t.Errorf("%d ignored, %d in flight; want 1 and 0", s.Ignored, s.InFlight)
		}
	}
}

func TestClassify(t *testing.T) {
	tr, l := fixed(1)
	tr.Base = trip(func(r *http.Request) (*http.Response, error) { return answer(r, 299), nil })
	tr.Classify = func(resp *http.Response, err error) sweetspot.Outcome {
		if resp != nil && resp.StatusCode == 299 {
			return sweetspot.Overloaded
		}
		return httplimit.ResponseOutcome(resp, err)
	}
	resp, err := tr.RoundTrip(get(t, t.Context(), "http://h/"))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if s := l.Stats(); s.Overloads != 1 {
		t.Errorf("%d overloads, want 1", s.Overloads)
	}
}

func TestPanicsGiveThePermitBack(t *testing.T) {
	for name, tr := range map[string]*httplimit.Transport{
		"Base":     {Base: trip(func(*http.Request) (*http.Response, error) { panic("Base") })},
		"Classify": {Base: trip(func(r *http.Request) (*http.Response, error) { return answer(r, 200), nil }), Classify: func(*http.Response, error) sweetspot.Outcome { return 3 }},
	} {
		l := setTo(sweetspot.New(), 1)
		tr.NewLimiter = func(string) *sweetspot.Limiter { return l }
		func() {
			defer func() {
				if p := fmt.Sprint(recover()); !strings.Contains(p, name) {
					t.Errorf("%s: the panic is %q", name, p)
				}
			}()
			tr.RoundTrip(get(t, t.Context(), "http://h/"))
		}()
		inFlight(t, l, 0, "after a panic of "+name)
	}
}

func TestWaitingEndsWithTheContext(t *testing.T) {
	tr, l := fixed(1)
	sent := 0
	tr.Base = trip(func(r *http.Request) (*http.Response, error) { sent++; return answer(r, 200), nil })
	held, err := tr.RoundTrip(get(t, t.Context(), "http://h/"))
	if err != nil {
		t.Fatal(err)
	}
	why := errors.New("no longer wanted")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(10*time.Millisecond, func() { cancel(why) })
	body := &closing{Reader: strings.NewReader("x")}
	r, _ := http.NewRequestWithContext(ctx, "POST", "http://h/", body)
	if _, err := tr.RoundTrip(r); !errors.Is(err, why) {
		t.Errorf("error %v, want the context's cause", err)
	}
	if !body.closed.Load() {
		t.Error("the body of a request that was not sent is not closed")
	}
	if sent != 1 {
		t.Errorf("%d requests sent, want 1", sent)
	}
	held.Body.Close()
	inFlight(t, l, 0, "in the end")
}

// closing is a body that knows whether it was closed.
type closing struct {
	io.Reader
	closed atomic.Bool
}

func (c *closing) Close() error { c.closed.Store(true); return nil }

func TestBodyMayBeClosedWhileItIsRead(t *testing.T) {
	tr, l := fixed(4)
	client, url := serve(t, tr, func(w http.ResponseWriter, r *http.Request) {
		w.Write(make([]byte, 10))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	for range 20 {
		resp, err := client.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		wg.Go(func() { io.Copy(io.Discard, resp.Body) })
		wg.Go(func() { resp.Body.Close() })
		wg.Wait()
		resp.Body.Close()
	}
	inFlight(t, l, 0, "in the end")
}

// A redirect is a request of its own; one permit must do for both.
func TestRedirectsNeedOnePermit(t *testing.T) {
	tr, l := fixed(1)
	client, url := serve(t, tr, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			http.Redirect(w, r, "/there", http.StatusFound)
			return
		}
		io.WriteString(w, "there")
	})
	resp, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	if b, _ := io.ReadAll(resp.Body); string(b) != "there" {
		t.Errorf("the body is %q", b)
	}
	resp.Body.Close()
	if s := l.Stats(); s.Completed != 2 || s.InFlight != 0 {
		t.Errorf("%d requests done, %d in flight; want 2 and 0", s.Completed, s.InFlight)
	}
}

func TestSwitchedConnectionHoldsNoPermit(t *testing.T) {
	tr, l := fixed(1)
	client, url := serve(t, tr, func(w http.ResponseWriter, r *http.Request) {
		conn, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		rw.WriteString("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
		rw.Flush()
		line, _ := rw.ReadString('\n')
		rw.WriteString(line)
		rw.Flush()
	})
	r := get(t, t.Context(), url)
	r.Header.Set("Connection", "Upgrade")
	r.Header.Set("Upgrade", "echo")
	resp, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	inFlight(t, l, 0, "with a switched connection")
	conn, ok := resp.Body.(io.ReadWriteCloser)
	if !ok {
		t.Fatalf("the body is a %T, which cannot be written to", resp.Body)
	}
	defer conn.Close()
	io.WriteString(conn, "hello\n")
	if line, err := bufio.NewReader(conn).ReadString('\n'); line != "hello\n" {
		t.Errorf("read %q, %v", line, err)
	}
}

func TestCloseIdleConnectionsPassesThrough(t *testing.T) {
	base := &idler{}
	client := &http.Client{Transport: &httplimit.Transport{Base: base}}
	client.CloseIdleConnections()
	if base.closed != 1 {
		t.Errorf("passed through %d times, want once", base.closed)
	}
	(&httplimit.Transport{Base: trip(nil)}).CloseIdleConnections() // which cannot
}

type idler struct {
	trip
	closed int
}

func (i *idler) CloseIdleConnections() { i.closed++ }

func TestRequestWithoutURL(t *testing.T) {
	tr := &httplimit.Transport{}
	if _, err := tr.RoundTrip(&http.Request{}); err == nil {
		t.Error("a request without URL succeeded")
	}
}

func TestTransportAllocates(t *testing.T) {
	tr, _ := fixed(10)
	body := io.NopCloser(strings.NewReader(""))
	resp := &http.Response{StatusCode: 200}
	tr.Base = trip(func(*http.Request) (*http.Response, error) {
		resp.Body = body
		return resp, nil
	})
	u, _ := url.Parse("http://example.com:8080/")
	r := (&http.Request{Method: "GET", URL: u}).WithContext(t.Context())
	once := func() {
		resp, err := tr.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	}
	once()
	if n := testing.AllocsPerRun(200, once); n > 1 {
		t.Errorf("%v allocations a request, want 1", n)
	}
}
