package docs_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"sync"
	"testing"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/limit"
)

func crawl(ctx context.Context, root string, save func(url string, body []byte) error) error {
	home, err := url.Parse(root)
	if err != nil {
		return err
	}
	return sweetspot.Walk(ctx, slices.Values([]string{root}),
		func(ctx context.Context, page string, push func(string)) error {
			body, err := get(ctx, page)
			if err != nil {
				return err
			}
			for _, link := range links(page, body) {
				if link.Host == home.Host {
					link.Fragment = ""  // the same page
					push(link.String()) // each is visited once, however often it is pushed
				}
			}
			return save(page, body)
		},
		web, sweetspot.JoinErrors())
}

var web = sweetspot.New(sweetspot.Name("web"), sweetspot.Max(200), sweetspot.Classify(func(err error) sweetspot.Outcome {
	var refused *statusError
	switch {
	case err == nil:
		return sweetspot.Done
	case errors.As(err, &refused) && (refused.code == 429 || refused.code == 503), errors.Is(err, context.DeadlineExceeded):
		return sweetspot.Overloaded // too much: the limit goes down at once
	default:
		return sweetspot.Ignored // a 404 says nothing
	}
}))

// A statusError is an answer other than 200.
type statusError struct{ code int }

func (e *statusError) Error() string { return fmt.Sprint(e.code, " ", http.StatusText(e.code)) }

func get(ctx context.Context, page string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
	if err != nil {
		return nil, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, &statusError{res.StatusCode}
	}
	return io.ReadAll(res.Body)
}

var href = regexp.MustCompile(`href="([^"]*)"`)

// links returns what a page refers to.
func links(page string, body []byte) []*url.URL {
	base, err := url.Parse(page)
	if err != nil {
		return nil
	}
	var all []*url.URL
	for _, m := range href.FindAllSubmatch(body, -1) {
		if link, err := base.Parse(string(m[1])); err == nil {
			all = append(all, link)
		}
	}
	return all
}

// hosts bounds the requests to each host, whatever the crawl as a whole does.
type hosts struct {
	mu    sync.Mutex
	slots map[string]*limit.Semaphore
}

func (h *hosts) of(host string) *limit.Semaphore {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.slots == nil {
		h.slots = map[string]*limit.Semaphore{}
	}
	if h.slots[host] == nil {
		h.slots[host] = limit.New(4)
	}
	return h.slots[host]
}

func (h *hosts) get(ctx context.Context, page *url.URL) ([]byte, error) {
	slot := h.of(page.Host)
	if err := slot.Acquire(ctx); err != nil {
		return nil, err
	}
	defer slot.Release()
	return get(ctx, page.String())
}

func TestCrawl(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		pages := map[string]string{
			"/":  `<a href="/a">A</a> <a href="/b#top">B</a> <a href="http://elsewhere.example/">E</a>`,
			"/a": `<a href="/b">B</a> <a href="/none">none</a>`,
			"/b": `<a href="/">home</a>`,
		}
		if body, found := pages[r.URL.Path]; found {
			io.WriteString(w, body)
		} else {
			http.NotFound(w, r)
		}
	}))
	defer site.Close()
	var mu sync.Mutex
	var saved []string
	err := crawl(t.Context(), site.URL+"/", func(page string, body []byte) error {
		mu.Lock()
		defer mu.Unlock()
		saved = append(saved, page[len(site.URL):])
		return nil
	})
	slices.Sort(saved)
	if want := []string{"/", "/a", "/b"}; !slices.Equal(saved, want) {
		t.Errorf("got %q, want %q", saved, want)
	}
	var refused *statusError
	if !errors.As(err, &refused) || refused.code != http.StatusNotFound {
		t.Errorf("got the error %v, want a 404", err)
	}
}

func TestCrawlPerHost(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "ok") }))
	defer site.Close()
	page, err := url.Parse(site.URL)
	if err != nil {
		t.Fatal(err)
	}
	var h hosts
	if body, err := h.get(t.Context(), page); err != nil || string(body) != "ok" {
		t.Errorf("got %q, %v", body, err)
	}
	if s := h.of(page.Host); s != h.of(page.Host) || s.Counters().InFlight != 0 {
		t.Error("a host has two semaphores, or a permit was kept")
	}
}
