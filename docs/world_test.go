package docs_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
)

// What the blocks of the guides call, and what they work on.

var errNotFound = errors.New("not found")

type webpage struct{ url string }

// fetch finds every page but "bad".
func fetch(ctx context.Context, url string) (webpage, error) {
	if url == "bad" {
		return webpage{}, errNotFound
	}
	return webpage{url}, ctx.Err()
}

// visit is fetch for callers that do not want the page.
func visit(ctx context.Context, url string) error {
	_, err := fetch(ctx, url)
	return err
}

// hash can read every path but "bad".
func hash(ctx context.Context, path string) error { return visit(ctx, path) }

// names returns n different names.
func names(n int) []string {
	s := make([]string, n)
	for i := range s {
		s[i] = fmt.Sprintf("%03d", i)
	}
	return s
}

// A message is handled once.
type message int

var handled atomic.Int64 // the sum of the messages that were handled

func handle(_ context.Context, m message) error {
	handled.Add(int64(m))
	return nil
}

// inbox returns a channel of the messages 1 to n.
func inbox(n int) <-chan message {
	c := make(chan message)
	go func() {
		defer close(c)
		for i := range n {
			c <- message(i + 1)
		}
	}()
	return c
}
