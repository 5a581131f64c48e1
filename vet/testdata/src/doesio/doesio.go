// Package doesio has functions that do I/O, or wait, in all the ways in which that can
// be seen.
package doesio

import (
	"os"
	"strings"
	"sync"
	"time"

	"doesio/below"
)

func direct() { os.Remove("x") } // want direct:"doesIO"

func nested() { direct() } // want nested:"doesIO"

// In a circle.
func even(n int) bool { return n == 0 || odd(n-1) } // want even:"doesIO"

func odd(n int) bool { // want odd:"doesIO"
	println(n)
	direct()
	return n != 0 && even(n-1)
}

func across() { below.Nap() } // want across:"doesIO"

func generic() { new(below.Stack[int]).Slow(1) } // want generic:"doesIO"

func literal() { // want literal:"doesIO"
	f := func() { direct() }
	f()
}

func background() { // want background:"doesIO"
	go func() { direct() }()
}

func waiting(wg *sync.WaitGroup) { wg.Wait() } // want waiting:"doesIO"

func ticking(t *time.Ticker) { <-t.C } // want ticking:"doesIO"

type store interface {
	Get(key string) (string, error)
	Len() int
}

func dynamic(s store) string { // want dynamic:"doesIO"
	v, _ := s.Get("x")
	return v
}

func value(f func() error) { f() } // want value:"doesIO"

type disk struct{ names []string }

func (d *disk) all(yield func(string) bool) { // want all:"doesIO"
	for _, name := range d.names {
		direct()
		if !yield(name) {
			return
		}
	}
}

func ranging(d *disk) (n int) { // want ranging:"doesIO"
	for name := range d.all {
		n += len(name)
	}
	return n
}

// None of these does.

func computes(s []string) int { return len(strings.Join(s, ",")) + below.Sum(nil) }

func length(s store) int { return s.Len() }

func locked(mu *sync.Mutex) {
	mu.Lock()
	defer mu.Unlock()
}

func environment() string { return os.Getenv("HOME") }

func mentions() func() { return direct }

func pushes() { new(below.Stack[int]).Push(1) }

func assembly()

func received(c chan int) int { return <-c }

func counting(yield func(int) bool) { _ = yield(1) && yield(2) }

func counted() (n int) {
	for i := range counting {
		n += i
	}
	return n
}
