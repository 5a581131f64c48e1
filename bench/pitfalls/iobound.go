package pitfalls

import (
	"context"
	"io"
	"net"
	"net/http"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/sweetspot-go/sweetspot"
)

// askService asks a service that takes 5 ms for an answer.
func askService() pitfall {
	return pitfall{"iobound", "requests that take 5 ms", "request", 400, func(n int) []form {
		list := slices.Repeat([]string{service()}, n)
		asked := func(all func([]string) error) func() int {
			return func() int {
				if err := all(list); err != nil {
					panic(err) // the service is in this process
				}
				return n
			}
		}
		return []form{
			{name: "as many workers as CPUs", run: asked(askByWorkers)},
			{name: "a Group with that limit", run: asked(askLimited)},
			{name: "ForEach", run: asked(askForEach)},
			{name: "a Group with a Limiter", run: asked(askGroup())},
		}
	}}
}

// service starts the service and returns where it is.
var service = sync.OnceValue(func() string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(5 * time.Millisecond)
		io.WriteString(w, "an answer")
	}))
	return "http://" + l.Addr().String()
})

// keeping keeps its connections: opening them is not what is measured.
var keeping = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1000}}

func fetch(url string) error {
	answer, err := keeping.Get(url)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	return err
}

func askByWorkers(list []string) error {
	urls := make(chan string)
	failed := make(chan error, len(list))
	go func() {
		for _, url := range list {
			urls <- url
		}
		close(urls)
	}()
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for url := range urls {
				if err := fetch(url); err != nil {
					failed <- err
				}
			}
		})
	}
	wg.Wait()
	select {
	case err := <-failed:
		return err
	default:
		return nil
	}
}

func askLimited(list []string) error {
	var g sweetspot.Group
	g.SetLimit(runtime.NumCPU())
	for _, url := range list {
		g.Go(func() error { return fetch(url) })
	}
	return g.Wait()
}

func askForEach(list []string) error {
	err := sweetspot.ForEach(context.Background(), list, func(ctx context.Context, url string) error {
		return fetch(url)
	})
	return err
}

// askGroup keeps its Limiter, and so what that has learnt.
func askGroup() func([]string) error {
	limiter := sweetspot.New()
	return func(list []string) error {
		var g sweetspot.Group
		g.SetLimiter(limiter)
		for _, url := range list {
			g.Go(func() error { return fetch(url) })
		}
		return g.Wait()
	}
}
