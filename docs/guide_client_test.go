package docs_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/httplimit"
)

func newClient() *http.Client {
	base := http.DefaultTransport.(*http.Transport).Clone()
	base.MaxIdleConnsPerHost = 100 // the default, 2, dials anew for nearly every request
	return &http.Client{
		Transport: &httplimit.Transport{
			Base: base,
			NewLimiter: func(host string) *sweetspot.Limiter {
				return sweetspot.New(sweetspot.Name(host), sweetspot.Max(100))
			},
			Retries: 3,
		},
		Timeout: 30 * time.Second, // the time that a request waits for its turn included
	}
}

func fetchThem(ctx context.Context, client *http.Client, urls []string) ([][]byte, error) {
	return sweetspot.Map(ctx, urls, func(ctx context.Context, url string) ([]byte, error) {
		return ask(ctx, client, url)
	}, sweetspot.Fixed(200)) // more than the transport will let through: it decides
}

// call sends a request as often as it may be worth, and holds a permit only while
// it is under way.
func call(ctx context.Context, client *http.Client, url string) (body []byte, err error) {
	for attempt := range 4 {
		err = api.Do(ctx, func(ctx context.Context) error {
			body, err = ask(ctx, client, url)
			return err
		})
		if !errors.Is(err, errTooMany) {
			break
		}
		select {
		case <-time.After(50 * time.Millisecond << attempt):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	return body, err
}

func ask(ctx context.Context, client *http.Client, url string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	res, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	switch res.StatusCode {
	case http.StatusOK:
		return io.ReadAll(res.Body)
	case http.StatusTooManyRequests:
		return nil, errTooMany
	}
	return nil, fmt.Errorf("%s: %s", url, res.Status)
}

// A refusal is repeated, and was an overload.
func TestCall(t *testing.T) {
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if requests.Add(1) <= 2 {
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		io.WriteString(w, "ok")
	}))
	defer server.Close()
	before := api.Stats()
	client := server.Client()
	body, err := call(t.Context(), client, server.URL)
	if string(body) != "ok" || err != nil {
		t.Errorf("got %q, %v", body, err)
	}
	after := api.Stats()
	if got := after.Overloads - before.Overloads; got != 2 {
		t.Errorf("got %d overloads, want 2", got)
	}
	if got := after.Completed - before.Completed; got != 1 {
		t.Errorf("got %d requests done, want 1", got)
	}
}

// The transport repeats what was refused, and no answer is lost.
func TestFetchThem(t *testing.T) {
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if requests.Add(1) == 3 {
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		io.WriteString(w, r.URL.Path)
	}))
	defer server.Close()
	client := newClient()
	defer client.CloseIdleConnections()
	urls := names(50)
	for i := range urls {
		urls[i] = server.URL + "/" + urls[i]
	}
	pages, err := fetchThem(t.Context(), client, urls)
	if err != nil {
		t.Fatal(err)
	}
	for i, page := range pages {
		if want := urls[i][len(server.URL):]; string(page) != want {
			t.Errorf("page %d: got %q, want %q", i, page, want)
		}
	}
	if got := requests.Load(); got != 51 {
		t.Errorf("got %d requests, want 50 and one again", got)
	}
}
