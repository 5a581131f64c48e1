package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/httplimit"
	"github.com/sweetspot-go/sweetspot/internal/pause"
)

// A refusal is how an HTTP server answers the hostile tenant.
type refusal int

const (
	quota       refusal = http.StatusTooManyRequests
	unavailable refusal = http.StatusServiceUnavailable
)

type httpSite struct {
	*httptest.Server
	limiter *sweetspot.Limiter
}

func openHTTP(refusal refusal) (site, error) {
	s := &httpSite{limiter: newLimiter()}
	front := &httplimit.Server{Limiter: s.limiter, Peer: func(r *http.Request) string { return r.URL.Path }}
	if refusal == unavailable {
		front.Classify = func(_ *http.Request, status int) sweetspot.Outcome {
			if status == http.StatusServiceUnavailable {
				return sweetspot.Overloaded
			}
			return httplimit.StatusOutcome(status)
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/other", func(w http.ResponseWriter, r *http.Request) {
		_ = pause.Sleep(r.Context(), work) // nobody waits for the answer then
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("/hostile", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(int(refusal)) })
	mux.HandleFunc("/harmless", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNoContent) })
	s.Server = httptest.NewServer(front.Wrap(mux))
	return s, nil
}

func (s *httpSite) connect() (other, hostile, harmless call, err error) {
	client := &http.Client{Transport: &http.Transport{MaxConnsPerHost: 1}}
	get := func(path string) call {
		return func(ctx context.Context) bool {
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+path, nil)
			if err != nil {
				return false
			}
			resp, err := client.Do(r)
			if err != nil {
				return false
			}
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			return resp.StatusCode == http.StatusNoContent
		}
	}
	return get("/other"), get("/hostile"), get("/harmless"), nil
}

func (s *httpSite) limit() int { return s.limiter.Limit() }
func (s *httpSite) close()     { s.CloseClientConnections(); s.Close() }
