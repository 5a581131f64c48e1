package docs_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"sync"
	"testing"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/httplimit"
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
		web, sweetspot.AllErrors())
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

func crawlHosts(ctx context.Context, roots []string, visit func(ctx context.Context, c *http.Client, page string, push func(string)) error) error {
	client := &http.Client{Transport: &httplimit.Transport{
		NewLimiter: func(host string) *sweetspot.Limiter {
			return sweetspot.New(sweetspot.Name(host), sweetspot.Max(8))
		},
		Retries: 3,
	}}
	defer client.CloseIdleConnections()
	return sweetspot.Walk(ctx, slices.Values(roots),
		func(ctx context.Context, page string, push func(string)) error {
			return visit(ctx, client, page, push)
		},
		sweetspot.Fixed(500), sweetspot.AllErrors()) // the hosts decide
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

func TestCrawlHosts(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "ok") }))
	defer site.Close()
	var mu sync.Mutex
	got := map[string]string{}
	err := crawlHosts(t.Context(), []string{site.URL}, func(ctx context.Context, c *http.Client, page string, push func(string)) error {
		body, err := ask(ctx, c, page)
		mu.Lock()
		got[page] = string(body)
		mu.Unlock()
		push(site.URL + "/next")
		return err
	})
	if want := map[string]string{site.URL: "ok", site.URL + "/next": "ok"}; err != nil || !maps.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}
