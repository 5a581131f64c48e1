package bench

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot"
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
			return sweetspot.New(sweetspot.Fixed(1000))
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
