package httplimit_test

import (
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/httplimit"
)

// A response that nobody gets, since a function of the caller's did not return, is closed.
func TestBodyIsClosedWhereACallbackDoesNotReturn(t *testing.T) {
	for name, does := range map[string]func(){
		"panic": func() { panic("callback") },
		"exit":  runtime.Goexit,
		"value": func() {},
	} {
		for _, callback := range []string{"Classify", "GetBody"} {
			if name == "value" && callback == "GetBody" {
				continue // what that returns is not a mistake; see TestNoSecondBody
			}
			t.Run(callback+" "+name, func(t *testing.T) {
				tr, l := fixed(1)
				tr.Retries = 1
				body := &closing{Reader: strings.NewReader("no")}
				tr.Base = trip(func(r *http.Request) (*http.Response, error) {
					resp := answer(r, http.StatusTooManyRequests)
					resp.Body = body
					return resp, nil
				})
				r, err := http.NewRequest("POST", "http://h/", strings.NewReader("x"))
				if err != nil {
					t.Fatal(err)
				}
				if callback == "Classify" {
					tr.Classify = func(*http.Response, error) sweetspot.Outcome {
						does()
						return sweetspot.Overloaded + 1
					}
				} else {
					r.GetBody = func() (io.ReadCloser, error) {
						does()
						return nil, nil
					}
				}
				over := make(chan any)
				go func() {
					defer func() { over <- recover() }()
					tr.RoundTrip(r)
					t.Error("RoundTrip returned")
				}()
				if p := <-over; (p == nil) != (name == "exit") {
					t.Errorf("the panic is %v", p)
				}
				if !body.closed.Load() {
					t.Error("the body of the response is open")
				}
				inFlight(t, l, 0, "in the end")
			})
		}
	}
}

// An endless body is one of which nothing comes until it is closed.
type endless struct {
	*io.PipeReader
	read bool
}

func (e *endless) Read(p []byte) (int, error) {
	e.read = true
	return e.PipeReader.Read(p)
}

// A refusal's body is read for the sake of the connection only if that has a known end
// that is near.
func TestRefusalIsDrainedOnlyIfShort(t *testing.T) {
	for _, test := range []struct {
		length int64
		read   bool
	}{{-1, false}, {4<<10 + 1, false}, {1 << 40, false}, {4 << 10, true}, {2, true}} {
		synctest.Test(t, func(t *testing.T) {
			pr, pw := io.Pipe()
			body := &endless{PipeReader: pr}
			if test.read {
				go func() {
					pw.Write([]byte("no"))
					pw.Close()
				}()
			}
			attempts := 0
			tr := &httplimit.Transport{Retries: 1, Base: trip(func(r *http.Request) (*http.Response, error) {
				if attempts++; attempts > 1 {
					return ok(r)
				}
				resp := answer(r, http.StatusTooManyRequests)
				resp.Body, resp.ContentLength = body, test.length
				return resp, nil
			})}
			resp, err := tr.RoundTrip(get(t, t.Context(), "http://h/"))
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if body.read != test.read {
				t.Errorf("a body of %d bytes: read %t, want %t", test.length, body.read, test.read)
			}
			if _, err := pw.Write([]byte("x")); err != io.ErrClosedPipe {
				t.Errorf("a body of %d bytes is not closed: %v", test.length, err)
			}
		})
	}
}

// Where GetBody has no body to give, the refusal is the answer.
func TestNoSecondBody(t *testing.T) {
	tr, l := fixed(1)
	tr.Retries = 3
	sent := 0
	tr.Base = trip(func(r *http.Request) (*http.Response, error) {
		sent++
		return answer(r, http.StatusTooManyRequests), nil
	})
	r, err := http.NewRequest("POST", "http://h/", strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	r.GetBody = func() (io.ReadCloser, error) { return nil, nil }
	resp, err := tr.RoundTrip(r)
	if err != nil || resp.StatusCode != http.StatusTooManyRequests || sent != 1 {
		t.Fatalf("%v, %v after %d attempts; want the refusal after one", resp, err, sent)
	}
	if b, err := io.ReadAll(resp.Body); err != nil || string(b) != "body" {
		t.Errorf("its body is %q, %v", b, err)
	}
	resp.Body.Close()
	inFlight(t, l, 0, "in the end")
}

// A short body that does not come is not waited for for long.
func TestDrainEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pr, pw := io.Pipe()
		attempts := 0
		tr := &httplimit.Transport{Retries: 1, Base: trip(func(r *http.Request) (*http.Response, error) {
			if attempts++; attempts > 1 {
				return ok(r)
			}
			resp := answer(r, http.StatusTooManyRequests)
			resp.Body, resp.ContentLength = pr, 2
			return resp, nil
		})}
		began := time.Now()
		resp, err := tr.RoundTrip(get(t, t.Context(), "http://h/"))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if d := time.Since(began); d < 100*time.Millisecond || d > 150*time.Millisecond || resp.StatusCode != http.StatusOK {
			t.Errorf("status %d after %v, want 200 after 50 ms and the wait of 50 to 100 ms", resp.StatusCode, d)
		}
		if _, err := pw.Write([]byte("x")); err != io.ErrClosedPipe {
			t.Errorf("the body is not closed: %v", err)
		}
		inFlight(t, tr.Limiter("h"), 0, "in the end")
	})
}
