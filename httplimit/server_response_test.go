package httplimit_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/httplimit"
)

// An unwrapper is the ResponseWriter of a middleware that has only Unwrap.
type unwrapper struct{ below http.ResponseWriter }

func (u unwrapper) Header() http.Header         { return u.below.Header() }
func (u unwrapper) Write(p []byte) (int, error) { return u.below.Write(p) }
func (u unwrapper) WriteHeader(status int)      { u.below.WriteHeader(status) }
func (u unwrapper) Unwrap() http.ResponseWriter { return u.below }

// What a ResponseController does reaches the connection through the Server, and not
// past it, also where another middleware is below.
func TestServerSeesControllersThroughUnwrap(t *testing.T) {
	for name, use := range map[string]func(http.ResponseWriter) error{
		"hijack": func(w http.ResponseWriter) error {
			c, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				c.Close()
			}
			return err
		},
		"event stream": func(w http.ResponseWriter) error {
			w.Header().Set("Content-Type", "text/event-stream")
			return http.NewResponseController(w).Flush()
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := standsAt(1)
			h := (&httplimit.Server{Limiter: l}).Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				inFlight(t, l, 1, "before")
				if err := use(w); err != nil {
					t.Error(err)
				}
				inFlight(t, l, 0, "after")
			}))
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				h.ServeHTTP(unwrapper{unwrapper{w}}, r)
			}))
			defer s.Close()
			if resp, err := s.Client().Get(s.URL); err == nil {
				resp.Body.Close()
			}
		})
	}
}

var errFlush = errors.New("flush")

type canFlush struct{}

func (canFlush) Flush() {}

type canFlushError struct{ canFlush }

func (canFlushError) FlushError() error { return errFlush }

type canHijack struct{}

func (canHijack) Hijack() (net.Conn, *bufio.ReadWriter, error) { return nil, nil, nil }

type canRead struct{}

func (canRead) ReadFrom(io.Reader) (int64, error) { return 42, nil }

// The methods are those of the ResponseWriter below, and they do what those do.
func TestServerKeepsMethodsOfMiddleware(t *testing.T) {
	type rw = http.ResponseWriter
	plain := discard{http.Header{}}
	for _, test := range []struct {
		below                  rw
		flush, hijack, readers bool
	}{
		{below: plain},
		{below: unwrapper{plain}},
		{struct {
			rw
			canRead
		}{rw: plain}, false, false, false}, // of no writer of net/http
		{struct {
			rw
			canFlush
		}{rw: plain}, true, false, false},
		{struct {
			rw
			canFlush
			canRead
		}{rw: plain}, true, false, true},
		{struct {
			rw
			canHijack
		}{rw: plain}, true, true, false}, // Flush does nothing
		{struct {
			rw
			canFlush
			canHijack
		}{rw: plain}, true, true, false},
		{struct {
			rw
			canFlush
			canHijack
			canRead
		}{rw: plain}, true, true, true},
	} {
		l := standsAt(1)
		(&httplimit.Server{Limiter: l}).Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			f, flush := w.(http.Flusher)
			h, hijack := w.(http.Hijacker)
			from, readers := w.(io.ReaderFrom)
			if flush != test.flush || hijack != test.hijack || readers != test.readers {
				t.Errorf("%T: Flush %t, Hijack %t, ReadFrom %t", test.below, flush, hijack, readers)
				return
			}
			if flush {
				f.Flush()
			}
			if readers {
				if n, _ := from.ReadFrom(nil); n != 42 {
					t.Errorf("%T: ReadFrom does not get there", test.below)
				}
			}
			if hijack {
				h.Hijack()
				inFlight(t, l, 0, "once hijacked")
			}
		})).ServeHTTP(test.below, httptest.NewRequest("GET", "/", nil))
		inFlight(t, l, 0, "at the end")
	}
}

func TestServerKeepsTheErrorOfFlush(t *testing.T) {
	var s httplimit.Server
	s.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := http.NewResponseController(w).Flush(); err != errFlush {
			t.Errorf("Flush returned %v", err)
		}
	})).ServeHTTP(struct {
		http.ResponseWriter
		canFlushError
	}{ResponseWriter: discard{http.Header{}}}, httptest.NewRequest("GET", "/", nil))
}

// A Refuse that writes no status answers with that of the Server.
func TestServerRefusesWithItsStatus(t *testing.T) {
	for _, test := range []struct {
		name         string
		status, want int
		refuse       http.HandlerFunc
	}{
		{"nothing", 429, 429, func(w http.ResponseWriter, r *http.Request) {}},
		{"a body", 429, 429, func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("busy")) }},
		{"a string", 0, 503, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "busy") }},
		{"a flush", 429, 429, func(w http.ResponseWriter, r *http.Request) { http.NewResponseController(w).Flush() }},
		{"an event stream", 429, 429, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			w.Write([]byte("data: busy\n\n"))
		}},
		{"a hint before", 429, 429, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusEarlyHints) }},
		{"a status of its own", 429, 418, func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusTeapot)
			w.Write([]byte("busy"))
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := standsAt(1)
			l.TryAcquire()
			sv := &httplimit.Server{Limiter: l, Queue: -1, Status: test.status, Refuse: test.refuse}
			s := httptest.NewServer(sv.Wrap(http.NotFoundHandler()))
			defer s.Close()
			resp, err := s.Client().Get(s.URL)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if resp.StatusCode != test.want || resp.Header.Get("Retry-After") == "" {
				t.Errorf("status %d, Retry-After %q, want %d and some", resp.StatusCode, resp.Header.Get("Retry-After"), test.want)
			}
			inFlight(t, l, 1, "in the end")
		})
	}
}

// A copy begins the answer with its first byte, as without a Server: until then the handler
// may choose another status.
func TestServerCopyBeginsWithAByte(t *testing.T) {
	proxy := func(body io.Reader) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if n, err := io.Copy(w, body); n == 0 && err != nil {
				http.Error(w, "upstream", http.StatusBadGateway)
			}
		}
	}
	long := strings.Repeat("0123456789abcdef", 10_000)
	fails := iotest.ErrReader(errors.New("upstream is gone"))
	for _, test := range []struct {
		name   string
		body   func() io.Reader
		status int
		want   string
	}{
		{"no byte", func() io.Reader { return fails }, 502, "upstream\n"},
		{"nothing", func() io.Reader { return strings.NewReader("") }, 200, ""},
		{"few bytes", func() io.Reader { return strings.NewReader("few") }, 200, "few"},
		{"few bytes and an error", func() io.Reader { return io.MultiReader(strings.NewReader("few"), fails) }, 200, "few"},
		{"what is looked at", func() io.Reader { return strings.NewReader(long[:512]) }, 200, long[:512]},
		{"many bytes", func() io.Reader { return strings.NewReader(long) }, 200, long},
		{"a byte at a time", func() io.Reader { return iotest.OneByteReader(strings.NewReader(long[:2000])) }, 200, long[:2000]},
		{"data and the end at once", func() io.Reader { return iotest.DataErrReader(strings.NewReader(long)) }, 200, long},
	} {
		t.Run(test.name, func(t *testing.T) {
			noted := make(chan int, 1)
			s := httptest.NewServer((&httplimit.Server{
				Limiter: standsAt(1),
				Classify: func(_ *http.Request, status int) sweetspot.Outcome {
					noted <- status
					return sweetspot.Done
				},
			}).Wrap(proxy(test.body())))
			defer s.Close()
			status, body := ask(t, s)
			if n := <-noted; status != test.status || n != test.status || body != test.want {
				t.Errorf("status %d with %d bytes, noted as %d, want %d with %d", status, len(body), n, test.status, len(test.want))
			}
		})
	}
	t.Run("of a refusal", func(t *testing.T) {
		l := standsAt(1)
		l.TryAcquire()
		s := httptest.NewServer((&httplimit.Server{Limiter: l, Queue: -1, Refuse: proxy(fails)}).Wrap(http.NotFoundHandler()))
		defer s.Close()
		if status, _ := ask(t, s); status != http.StatusBadGateway {
			t.Errorf("status %d, want that of the handler", status)
		}
	})
}

// ask returns the answer of s.
func ask(t *testing.T, s *httptest.Server) (status int, body string) {
	t.Helper()
	resp, err := s.Client().Get(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
	}
	return resp.StatusCode, string(b)
}

func TestServerRefuseMayHijack(t *testing.T) {
	l := standsAt(1)
	l.TryAcquire()
	sv := &httplimit.Server{Limiter: l, Queue: -1, Refuse: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, _, err := w.(http.Hijacker).Hijack(); err != nil {
			t.Error(err)
		}
	})}
	w := &headers{ResponseWriter: discard{http.Header{}}}
	sv.Wrap(http.NotFoundHandler()).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	if w.written != 0 {
		t.Errorf("%d headers written to a hijacked connection", w.written)
	}
	inFlight(t, l, 1, "in the end")
}

// headers counts the headers written.
type headers struct {
	http.ResponseWriter
	canHijack
	written int
}

func (h *headers) WriteHeader(int) { h.written++ }
