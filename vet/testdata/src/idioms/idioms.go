// Package idioms has concurrent code that is as it should be. No check of grade quiet
// or info may say a word about it.
package idioms

import (
	"context"
	"errors"
	"net"
	"os/exec"
	"runtime"
	"sync"
	"time"
)

// A server's loop: a goroutine for each connection.
func accept(l net.Listener, serve func(net.Conn)) error {
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		go serve(c)
	}
}

// Long-lived goroutines, one for each thing that is configured.
type watcher interface{ Run(context.Context) }

type config struct{ watchers []watcher }

func (c *config) start(ctx context.Context) {
	for _, w := range c.watchers {
		go w.Run(ctx)
	}
}

// Credits: a goroutine starts when another has given its credit back.
func credits(ctx context.Context, urls []string, fetch func(context.Context, string)) {
	credit := make(chan struct{}, 8)
	for range cap(credit) {
		credit <- struct{}{}
	}
	for _, u := range urls {
		<-credit
		go func() {
			defer func() { credit <- struct{}{} }()
			fetch(ctx, u)
		}()
	}
	for range cap(credit) {
		<-credit
	}
}

// A part for each CPU, whose results are stored once.
func parts(in []float64) float64 {
	n := runtime.GOMAXPROCS(0)
	size := (len(in) + n - 1) / n
	sums := make([]float64, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			sum := 0.0
			for _, v := range in[min(i*size, len(in)):min((i+1)*size, len(in))] {
				sum += v
			}
			sums[i] = sum
		})
	}
	wg.Wait()
	total := 0.0
	for _, s := range sums {
		total += s
	}
	return total
}

// A part for each CPU, written from end to end.
func scale(out, in []float64, by float64) {
	var wg sync.WaitGroup
	size := len(in)/runtime.GOMAXPROCS(0) + 1
	for from := 0; from < len(in); from += size {
		to := min(from+size, len(in))
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := from; i < to; i++ {
				out[i] = by * in[i]
			}
		}()
	}
	wg.Wait()
}

// Tokens that carry nothing.
func tokens(ticks int, tick chan struct{}) {
	for range ticks {
		tick <- struct{}{}
	}
}

// A place for the error of each of a few.
func race(ctx context.Context, tries []func(context.Context) error) error {
	errc := make(chan error, len(tries))
	for _, try := range tries {
		go func() { errc <- try(ctx) }()
	}
	var errs error
	for range tries {
		err := <-errc
		if err == nil {
			return nil
		}
		errs = errors.Join(errs, err)
	}
	return errs
}

// Workers that are fed with jobs that take long.
func build(ctx context.Context, packages []string) {
	jobs := make(chan string)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for p := range jobs {
				_ = exec.CommandContext(ctx, "go", "build", p).Run()
			}
		})
	}
	for _, p := range packages {
		jobs <- p
	}
	close(jobs)
	wg.Wait()
}

type client interface {
	Get(url string) ([]byte, error)
}

func fetch(c client, urls []string, use func([]byte)) {
	jobs := make(chan int)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for i := range jobs {
				if r, err := c.Get(urls[i]); err == nil {
					use(r)
				}
			}
		})
	}
	for i := range urls {
		jobs <- i
	}
	close(jobs)
	wg.Wait()
}

// A second request if the first one takes long.
func hedge(ctx context.Context, ask func(context.Context) int) int {
	answers := make(chan int, 2)
	go func() { answers <- ask(ctx) }()
	select {
	case a := <-answers:
		return a
	case <-time.After(10 * time.Millisecond):
		go func() { answers <- ask(ctx) }()
		return <-answers
	}
}

// A goroutine with a thread of its own.
func onThread(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		f()
	}()
	<-done
}

// What panics is started again.
func forever(f func()) {
	go func() {
		defer func() {
			if recover() != nil {
				forever(f)
			}
		}()
		f()
	}()
}

// The first of several that is closed, by recursion.
func or(channels ...<-chan struct{}) <-chan struct{} {
	switch len(channels) {
	case 0:
		return nil
	case 1:
		return channels[0]
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		select {
		case <-channels[0]:
		case <-channels[1]:
		case <-or(append(channels[2:], done)...):
		}
	}()
	return done
}

// A handshake with a goroutine that lives on.
type loop struct{ ready, stop chan struct{} }

func (l *loop) start() {
	l.ready = make(chan struct{})
	go func() {
		close(l.ready)
		<-l.stop
	}()
	<-l.ready
}

// Counters of a reader and a writer, in one struct: they wait for the network.
type conn struct {
	net.Conn
	read, written int
}

func (c *conn) run(in, out chan []byte) {
	go func() {
		buffer := make([]byte, 4096)
		for {
			n, err := c.Read(buffer)
			if err != nil {
				return
			}
			c.read += n
			in <- buffer[:n]
		}
	}()
	go func() {
		for b := range out {
			n, err := c.Write(b)
			if err != nil {
				return
			}
			c.written += n
		}
	}()
}

// What each goroutine found, or its error, in its slot: written once.
func results(urls []string, get func(string) (int, error)) ([]int, []error) {
	found, errs := make([]int, len(urls)), make([]error, len(urls))
	sem := make(chan struct{}, 8)
	var wg sync.WaitGroup
	for i, u := range urls {
		sem <- struct{}{}
		wg.Go(func() {
			defer func() { <-sem }()
			for range 3 {
				if found[i], errs[i] = get(u); errs[i] == nil {
					return
				}
			}
		})
	}
	wg.Wait()
	return found, errs
}
