package sweetspot_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"sync"

	"github.com/sweetspot-go/sweetspot"
)

// A crawler: each page of a site is fetched once, as many at a time as bring
// pages fastest.
func ExampleWalk() {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, map[string]string{
			"/":         `<a href="/docs">Docs</a> <a href="/blog">Blog</a>`,
			"/docs":     `<a href="/">Home</a> <a href="/docs/api">API</a>`,
			"/blog":     `<a href="/blog/1">First</a> <a href="/docs/api">API</a>`,
			"/blog/1":   `<a href="../blog">Back</a>`,
			"/docs/api": `<a href="/">Home</a>`,
		}[r.URL.Path])
	}))
	defer site.Close()
	link := regexp.MustCompile(`href="([^"]*)"`)

	var mu sync.Mutex
	var found []string
	err := sweetspot.Walk(context.Background(), slices.Values([]string{site.URL + "/"}),
		func(ctx context.Context, page string, push func(string)) error {
			req, err := http.NewRequestWithContext(ctx, "GET", page, nil)
			if err != nil {
				return err
			}
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				return err
			}
			defer res.Body.Close()
			body, err := io.ReadAll(res.Body)
			if err != nil {
				return err
			}
			for _, m := range link.FindAllSubmatch(body, -1) {
				to, err := req.URL.Parse(string(m[1]))
				if err != nil {
					return err
				}
				push(to.String())
			}
			mu.Lock()
			defer mu.Unlock()
			found = append(found, req.URL.Path)
			return nil
		})
	slices.Sort(found)
	fmt.Println(found, err)
	// Output: [/ /blog /blog/1 /docs /docs/api] <nil>
}

// Which packages does a program need? The imports of each are looked up once.
func ExampleSizeHint() {
	imports := map[string][]string{
		"main": {"fmt", "net/http"},
		"fmt":  {"io", "os"}, "net/http": {"io", "net"}, "net": {"os"}, "os": {"io"},
		"testing": {"fmt"},
	}
	var mu sync.Mutex
	var needed []string
	err := sweetspot.Walk(context.Background(), slices.Values([]string{"main"}),
		func(_ context.Context, pkg string, push func(string)) error {
			for _, p := range imports[pkg] {
				push(p)
			}
			mu.Lock()
			defer mu.Unlock()
			needed = append(needed, pkg)
			return nil
		}, sweetspot.SizeHint(len(imports)))
	slices.Sort(needed)
	fmt.Println(needed, err)
	// Output: [fmt io main net net/http os] <nil>
}

func ExampleKeyError() {
	err := sweetspot.Walk(context.Background(), slices.Values([]string{"a", "b"}),
		func(_ context.Context, k string, push func(string)) error {
			if k == "b" {
				return errors.New("no such page")
			}
			push("b")
			return nil
		})
	var failed *sweetspot.KeyError[string]
	if errors.As(err, &failed) {
		fmt.Println(failed.Key)
		fmt.Println(err)
	}
	// Output:
	// b
	// key b: no such page
}

func ExampleKeyError_Error() {
	fmt.Println((&sweetspot.KeyError[string]{Key: "/index", Err: errors.New("no such page")}).Error())
	// Output: key /index: no such page
}

func ExampleKeyError_Unwrap() {
	err := error(&sweetspot.KeyError[int]{Key: 7, Err: context.DeadlineExceeded})
	fmt.Println(errors.Is(err, context.DeadlineExceeded))
	// Output: true
}
