package bench

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/httplimit"
)

// canned answers each request with the same response.
type canned struct{ body io.ReadCloser }

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: c.body, Request: r}, nil
}

// BenchmarkTransport measures what a client's requests cost without a network:
// the difference of "none" and the others is the price of a limit.
func BenchmarkTransport(b *testing.B) {
	base := canned{io.NopCloser(strings.NewReader(""))}
	for _, t := range []struct {
		name string
		tr   http.RoundTripper
	}{
		{"none", base},
		{"fixed", &httplimit.Transport{Base: base, NewLimiter: func(string) *sweetspot.Limiter {
			return setTo(sweetspot.New(), 1000)
		}}},
		{"auto", &httplimit.Transport{Base: base, NewLimiter: func(string) *sweetspot.Limiter {
			return sweetspot.New(sweetspot.Min(100))
		}}},
	} {
		u, err := url.Parse("http://api.example.com:8080/")
		if err != nil {
			b.Fatal(err)
		}
		r := &http.Request{Method: http.MethodGet, URL: u}
		ask := func() {
			resp, err := t.tr.RoundTrip(r)
			if err != nil {
				b.Error(err)
				return
			}
			resp.Body.Close()
		}
		b.Run(t.name+"/alone", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				ask()
			}
		})
		b.Run(t.name+"/crowd", func(b *testing.B) {
			b.ReportAllocs()
			b.SetParallelism(8)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					ask()
				}
			})
		})
	}
}

// nowhere is a ResponseWriter that keeps nothing.
type nowhere struct{ header http.Header }

func (n nowhere) Header() http.Header         { return n.header }
func (n nowhere) Write(p []byte) (int, error) { return len(p), nil }
func (n nowhere) WriteHeader(int)             {}

// BenchmarkServer measures what a server's requests cost without a network: the
// difference of "none" and the others is the price of a limit.
func BenchmarkServer(b *testing.B) {
	done := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNoContent) })
	for _, t := range []struct {
		name    string
		handler http.Handler
	}{
		{"none", done},
		{"fixed", (&httplimit.Server{Limiter: setTo(sweetspot.New(), 1000)}).Wrap(done)},
		{"auto", (&httplimit.Server{Limiter: sweetspot.New(sweetspot.Controller(control.NewLatency()), sweetspot.Min(100))}).Wrap(done)},
	} {
		r := (&http.Request{Method: http.MethodGet, URL: &url.URL{Path: "/"}}).WithContext(b.Context())
		w := nowhere{make(http.Header)}
		b.Run(t.name+"/alone", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				t.handler.ServeHTTP(w, r)
			}
		})
		b.Run(t.name+"/crowd", func(b *testing.B) {
			b.ReportAllocs()
			b.SetParallelism(8)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					t.handler.ServeHTTP(w, r)
				}
			})
		})
	}
}

// setTo returns l with its limit fixed at n.
func setTo(l *sweetspot.Limiter, n int) *sweetspot.Limiter {
	l.SetLimit(n)
	return l
}
