package httplimit_test

import (
	"context"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot/httplimit"
)

func TestRetries(t *testing.T) {
	reader := func(s string) io.Reader { return strings.NewReader(s) }
	opaque := func(s string) io.Reader { return io.MultiReader(strings.NewReader(s)) } // has no GetBody
	for _, test := range []struct {
		name     string
		retries  int
		method   string
		body     func(string) io.Reader
		header   http.Header
		statuses []int // of the attempts
		want     int   // the last of them that is asked for
		attempts int
	}{
		{"not asked for", 0, "GET", nil, nil, []int{429, 200}, 429, 1},
		{"refused once", 1, "GET", nil, nil, []int{429, 200}, 200, 2},
		{"refused too often", 2, "GET", nil, nil, []int{429, 429, 503, 200}, 503, 3},
		{"unavailable", 5, "GET", nil, nil, []int{503, 503, 204}, 204, 3},
		{"with a body", 5, "POST", reader, nil, []int{429, 429, 200}, 200, 3},
		{"with a body that is gone", 5, "POST", opaque, nil, []int{429, 200}, 429, 1},
		{"may have been acted upon", 5, "POST", reader, nil, []int{503, 200}, 503, 1},
		{"may be repeated", 5, "PUT", reader, nil, []int{503, 200}, 200, 2},
		{"says that it may be repeated", 5, "POST", reader, http.Header{"Idempotency-Key": {"1"}}, []int{503, 200}, 200, 2},
		{"says so by an empty key", 5, "POST", reader, http.Header{"Idempotency-Key": {""}}, []int{503, 200}, 200, 2},
		{"says so to net/http only", 5, "POST", reader, http.Header{"Idempotency-Key": nil}, []int{503, 200}, 200, 2},
		{"failed", 5, "GET", nil, nil, []int{500, 200}, 500, 1},
		{"a timeout elsewhere", 5, "GET", nil, nil, []int{504, 200}, 504, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			tr, l := fixed(1)
			tr.Retries = test.retries
			attempts := 0
			client, url := serve(t, tr, func(w http.ResponseWriter, r *http.Request) {
				b, err := io.ReadAll(r.Body)
				if err != nil || test.body != nil && string(b) != "words" {
					t.Errorf("attempt %d has the body %q, %v", attempts, b, err)
				}
				w.WriteHeader(test.statuses[attempts])
				attempts++
				io.WriteString(w, "last")
			})
			var body io.Reader
			if test.body != nil {
				body = test.body("words")
			}
			r, err := http.NewRequest(test.method, url, body)
			if err != nil {
				t.Fatal(err)
			}
			maps.Copy(r.Header, test.header)
			resp, err := client.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			b, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if resp.StatusCode != test.want || attempts != test.attempts {
				t.Errorf("status %d after %d attempts, want %d after %d", resp.StatusCode, attempts, test.want, test.attempts)
			}
			if want := "last"; test.want != 204 && (err != nil || string(b) != want) {
				t.Errorf("the body is %q, %v; want %q", b, err, want)
			}
			inFlight(t, l, 0, "in the end")
			if s := l.Stats(); s.Completed+s.Ignored+s.Overloads != int64(test.attempts) {
				t.Errorf("%d units for %d attempts", s.Completed+s.Ignored+s.Overloads, test.attempts)
			}
		})
	}
}

func TestRetryWaits(t *testing.T) {
	for _, test := range []struct {
		name        string
		header      []string
		least, most time.Duration
	}{
		{"as told", []string{"Retry-After", "3"}, 9 * time.Second, 9 * time.Second},
		{"ever longer", nil, 350 * time.Millisecond, 700 * time.Millisecond},
		{"no time", []string{"Retry-After", "0"}, 350 * time.Millisecond, 700 * time.Millisecond},
		{"no number", []string{"Retry-After", "1.5"}, 350 * time.Millisecond, 700 * time.Millisecond},
		{"less than nothing", []string{"Retry-After", "-1"}, 350 * time.Millisecond, 700 * time.Millisecond},
		{"no date", []string{"Retry-After", "soon"}, 350 * time.Millisecond, 700 * time.Millisecond},
		{"a date that is past", []string{"Retry-After", "Fri, 31 Dec 1999 23:59:59 GMT"}, 350 * time.Millisecond, 700 * time.Millisecond},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				log := newLog()
				tr, l := fixed(1)
				tr.Retries = 3
				tr.Base = trip(func(r *http.Request) (*http.Response, error) {
					if log.note() < 4 {
						return answer(r, http.StatusTooManyRequests, test.header...), nil
					}
					return answer(r, http.StatusOK), nil
				})
				resp, err := tr.RoundTrip(get(t, context.Background(), "http://h/"))
				if err != nil {
					t.Fatal(err)
				}
				if at := time.Since(log.began); resp.StatusCode != 200 || at < test.least || at > test.most {
					t.Errorf("status %d after %v, want 200 after %v to %v", resp.StatusCode, at, test.least, test.most)
				}
				resp.Body.Close()
				inFlight(t, l, 0, "in the end")
			})
		})
	}
}

// Waiting for nothing helps nobody: the refusal is the answer.
func TestNoRetryBeyondTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr, l := fixed(1)
		tr.Retries = 3
		tr.Base = trip(func(r *http.Request) (*http.Response, error) {
			return answer(r, http.StatusTooManyRequests, "Retry-After", "10"), nil
		})
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		began := time.Now()
		resp, err := tr.RoundTrip(get(t, ctx, "http://h/"))
		if err != nil {
			t.Fatal(err)
		}
		if b, _ := io.ReadAll(resp.Body); string(b) != "body" {
			t.Errorf("the body of the refusal is %q", b)
		}
		if d := time.Since(began); d != 0 {
			t.Errorf("it took %v", d)
		}
		inFlight(t, l, 0, "in the end")
	})
}

func TestRetryEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr, l := fixed(1)
		tr.Retries = 3
		bodies := 0
		tr.Base = trip(func(r *http.Request) (*http.Response, error) {
			io.Copy(io.Discard, r.Body)
			r.Body.Close()
			return answer(r, http.StatusTooManyRequests, "Retry-After", "10"), nil
		})
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		r, _ := http.NewRequestWithContext(ctx, "POST", "http://h/", &closing{Reader: strings.NewReader("x")})
		second := &closing{Reader: strings.NewReader("x")}
		r.GetBody = func() (io.ReadCloser, error) { bodies++; return second, nil }
		time.AfterFunc(2*time.Second, cancel)
		began := time.Now()
		if _, err := tr.RoundTrip(r); err != context.Canceled {
			t.Errorf("error %v, want %v", err, context.Canceled)
		}
		if d := time.Since(began); d != 2*time.Second {
			t.Errorf("it took %v, want 2 s", d)
		}
		if bodies != 1 || !second.closed.Load() {
			t.Errorf("%d more bodies, closed %v; want one that is closed", bodies, second.closed.Load())
		}
		inFlight(t, l, 0, "in the end")
	})
}

var _ http.RoundTripper = (*httplimit.Transport)(nil)
