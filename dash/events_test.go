package dash_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/dash"
)

type event struct{ kind, id, data string }

func events(t *testing.T, body string) []event {
	t.Helper()
	var list []event
	for block := range strings.SplitSeq(body, "\n\n") {
		var e event
		for line := range strings.Lines(block) {
			field, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
			switch field {
			case "event":
				e.kind = value
			case "id":
				e.id = value
			case "data":
				e.data = value
			case "retry":
			default:
				t.Fatalf("a line %q", line)
			}
		}
		if e.kind != "" {
			list = append(list, e)
		}
	}
	return list
}

// watch returns the events of a stream that is read for a time.
func watch(t *testing.T, p http.Handler, target string, d time.Duration) []event {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	w := httptest.NewRecorder()
	p.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, target, nil))
	if w.Header().Get("Content-Type") != "text/event-stream" || w.Code != http.StatusOK || !w.Flushed {
		t.Fatalf("%d %v", w.Code, w.Header())
	}
	return events(t, w.Body.String())
}

func kinds(list []event) string {
	var k []string
	for _, e := range list {
		k = append(k, e.kind)
	}
	return strings.Join(k, " ")
}

func TestEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := sweetspot.New(sweetspot.Name("a"), sweetspot.Start(2)), sweetspot.New(sweetspot.Name("b & b"), sweetspot.Start(2))
		p := pageOf([]*sweetspot.Limiter{a, b})
		b.SetLimit(4)
		time.AfterFunc(2500*time.Millisecond, func() { b.SetLimit(6); b.SetLimit(8); a.SetLimit(3) })
		got := watch(t, p, "/events?limiter=b+%26+b", 5*time.Second+time.Millisecond)
		if k := kinds(got); k != "limiters history limiters limiters limiters changes limiters limiters" {
			t.Fatal(k)
		}
		if h := parse[account](t, []byte(got[1].data)); h.Schema != 1 || h.Limiter != "b & b" || len(h.Changes) != 1 || len(h.Time) != 1 {
			t.Errorf("%+v", h)
		}
		c := parse[struct {
			Schema  int
			Limiter string
			Changes []change
		}](t, []byte(got[5].data))
		if c.Schema != 1 || c.Limiter != "b & b" || len(c.Changes) != 2 || c.Changes[0].Seq != 2 || c.Changes[1].To != 8 || c.Changes[1].Time == nil {
			t.Errorf("%+v", c)
		}
		if o := parse[overview](t, []byte(got[4].data)); o.Limiters[0].Limit != 3 || o.Limiters[1].Limit != 8 || got[4].id != "4" {
			t.Errorf("%s: %+v", got[4].id, o)
		}

		// Who comes back misses nothing.
		again := watch(t, p, "/events?limiter=b+%26+b", time.Millisecond)
		if k := kinds(again); k != "limiters history" {
			t.Fatal(k)
		}
		if h := parse[account](t, []byte(again[1].data)); len(h.Changes) != 3 || len(h.Time) != 6 || h.Limit[5] != 8 {
			t.Errorf("%+v", h)
		}
	})
}

// TestEventsOfTheFirst: without an id, the stream is of the first Limiter there
// is, once there is one, and goes over to who takes over its id.
func TestEventsOfTheFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		first, other := setTo(sweetspot.New(sweetspot.Name("a")), 2), setTo(sweetspot.New(sweetspot.Name("b")), 1)
		heir := setTo(sweetspot.New(sweetspot.Name("a")), 3)
		p := dash.Handler()
		p.Show(func() []*sweetspot.Limiter {
			switch time.Since(began) / time.Second {
			case 0, 1, 3:
				return nil
			case 2:
				return []*sweetspot.Limiter{first}
			}
			return []*sweetspot.Limiter{other, heir}
		})
		got := watch(t, p, "/events", 4*time.Second+time.Millisecond)
		if k := kinds(got); k != "limiters limiters limiters history limiters limiters history" {
			t.Fatal(k)
		}
		if h := parse[account](t, []byte(got[6].data)); h.Limiter != "a" || !slices.Equal(h.Limit, []int{3}) {
			t.Errorf("%+v", h)
		}
	})
}

// TestShutdown: a server that shuts down waits for its requests, and a stream
// would last for ever.
func TestShutdown(t *testing.T) {
	p := pageOf([]*sweetspot.Limiter{sweetspot.New(sweetspot.Name("work"))})
	s := httptest.NewServer(p)
	defer s.Close()
	for range 3 {
		r, err := http.Get(s.URL + "/events")
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		if _, err := bufio.NewReader(r.Body).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := s.Config.Shutdown(ctx); err != nil {
		t.Errorf("Shutdown: %v", err)
	}
}

// TestShutdownBeforeTheStream: a request that was still in a middleware when its server
// shut down.
func TestShutdownBeforeTheStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pageOf([]*sweetspot.Limiter{sweetspot.New(sweetspot.Name("work"))})
		s := &http.Server{}
		ctx, cancel := context.WithTimeout(context.WithValue(t.Context(), http.ServerContextKey, s), time.Minute)
		defer cancel()
		stream := func() {
			p.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, http.MethodGet, "/events", nil))
		}
		go stream()
		synctest.Wait()
		if err := s.Shutdown(ctx); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		began := time.Now()
		stream()
		if d := time.Since(began); d > 0 {
			t.Errorf("the stream ended after %v", d)
		}
	})
}

// pipes is a listener of connections in memory.
type pipes chan net.Conn

func (l pipes) Accept() (net.Conn, error) {
	if c, ok := <-l; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}

func (pipes) Addr() net.Addr { return &net.IPAddr{} }
func (l pipes) Close() error { close(l); return nil }

// TestShutdownWhileNobodyReads: a reader that hangs does not hold up its server.
func TestShutdownWhileNobodyReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &http.Server{Handler: pageOf([]*sweetspot.Limiter{sweetspot.New(sweetspot.Name("work"))})}
		listener := make(pipes)
		go s.Serve(listener)
		client, server := net.Pipe()
		defer client.Close()
		listener <- server
		fmt.Fprint(client, "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
		for r := bufio.NewReader(client); ; {
			if line, err := r.ReadString('\n'); err != nil {
				t.Fatal(err)
			} else if strings.HasPrefix(line, "event: limiters") {
				break
			}
		}
		time.Sleep(5 * dash.Step) // some event is under way
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if err := s.Shutdown(ctx); err != nil {
			t.Errorf("Shutdown: %v", err)
		}
		client.Close()
		synctest.Wait()
	})
}

// A crossing is a writer of a stream that ends while its second deadline is being set: the one for
// the end is there before.
type crossing struct {
	http.ResponseWriter
	end      func()
	set      int
	deadline time.Time
}

func (w *crossing) FlushError() error { return nil }

func (w *crossing) SetWriteDeadline(d time.Time) error {
	if w.set++; w.set == 2 {
		w.end()
		synctest.Wait()
	}
	w.deadline = d
	return nil
}

// TestEndWhileADeadlineIsSet: also then a reader that hangs is not waited for.
func TestEndWhileADeadlineIsSet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		w := &crossing{ResponseWriter: httptest.NewRecorder(), end: cancel}
		p := pageOf([]*sweetspot.Limiter{sweetspot.New(sweetspot.Name("work"))})
		p.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "/events", nil))
		if left := time.Until(w.deadline); w.set < 4 || left > time.Second {
			t.Errorf("after %d deadlines %v are left, want a second at most", w.set, left)
		}
	})
}

// TestServersAreForgotten: also those that are closed, of which nobody is told.
func TestServersAreForgotten(t *testing.T) {
	p := pageOf([]*sweetspot.Limiter{sweetspot.New(sweetspot.Name("work"))})
	serve := func(end func(*http.Server) error) {
		s := httptest.NewServer(p)
		defer s.Close()
		r, err := http.Get(s.URL + "/events")
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		if _, err := bufio.NewReader(r.Body).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		if p.Servers() == 0 {
			t.Fatal("the page does not know the server of a stream")
		}
		if err := end(s.Config); err != nil {
			t.Fatal(err)
		}
	}
	serve(func(s *http.Server) error { return s.Shutdown(t.Context()) })
	for range 3 {
		serve((*http.Server).Close)
	}
	for p.Servers() > 0 {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
}

// TestServerTimeouts: timeouts that are right for requests leave a stream alone.
func TestServerTimeouts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &http.Server{
			Handler:     pageOf([]*sweetspot.Limiter{sweetspot.New(sweetspot.Name("work"))}),
			ReadTimeout: 3 * dash.Step / 2, WriteTimeout: 3 * dash.Step / 2, // over before the last event
		}
		listener := make(pipes)
		go s.Serve(listener)
		client, server := net.Pipe()
		defer synctest.Wait()
		defer client.Close()
		defer s.Shutdown(t.Context()) // unlike Close, it tells the page
		listener <- server
		fmt.Fprint(client, "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
		lines := bufio.NewScanner(client)
		lines.Buffer(nil, 1<<20)
		for n := 0; n < 3; {
			if !lines.Scan() {
				t.Fatalf("the stream ended after %d events: %v", n, lines.Err())
			}
			if lines.Text() == "event: limiters" {
				n++
			}
		}
	})
}

// A slow writer takes so long for every event that the next is due, until it breaks.
type slow struct {
	*httptest.ResponseRecorder
	broken context.Context
}

func (w slow) Write(b []byte) (int, error) {
	if err := w.broken.Err(); err != nil {
		return 0, err
	}
	return w.ResponseRecorder.Write(b)
}

func (w slow) Flush() { time.Sleep(2 * dash.Step) }

// TestSlowReadersEnd: a stream that never waits for a measurement ends with its request.
func TestSlowReadersEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pageOf([]*sweetspot.Limiter{sweetspot.New(sweetspot.Name("work"))})
		broken, end := context.WithTimeout(t.Context(), time.Minute)
		defer end()
		ctx, cancel := context.WithTimeout(t.Context(), 5*dash.Step)
		defer cancel()
		began := time.Now()
		p.ServeHTTP(slow{httptest.NewRecorder(), broken}, httptest.NewRequestWithContext(ctx, http.MethodGet, "/events", nil))
		if d := time.Since(began); d > 7*dash.Step {
			t.Errorf("the stream ended after %v, want 5 s and the event under way", d)
		}
	})
}

// A writer that cannot be flushed would keep everything to itself.
type deaf struct{ http.ResponseWriter }

func TestEventsNeedFlushing(t *testing.T) {
	w := httptest.NewRecorder()
	dash.Handler().ServeHTTP(deaf{w}, httptest.NewRequest(http.MethodGet, "/events", nil))
	if w.Code != http.StatusNotImplemented || !strings.Contains(w.Body.String(), "flush") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// setTo returns l with its limit fixed at n.
func setTo(l *sweetspot.Limiter, n int) *sweetspot.Limiter {
	l.SetLimit(n)
	return l
}
