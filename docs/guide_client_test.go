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
)

func newClient() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 100 // the default, 2, dials anew for nearly every request
	return &http.Client{Transport: transport, Timeout: 10 * time.Second}
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
	client := newClient()
	defer client.CloseIdleConnections()
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
