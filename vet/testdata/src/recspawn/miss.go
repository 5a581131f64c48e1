package recspawn

import (
	"context"
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

// A constant, a parameter, a name, a field decide.
func constant(s []int) {
	if len(s) < 2 {
		return
	}
	m := partition(s)
	if len(s) < 2048 {
		constant(s[:m])
		constant(s[m+1:])
		return
	}
	var wg sync.WaitGroup
	wg.Go(func() { constant(s[:m]) })
	constant(s[m+1:])
	wg.Wait()
}

func parameter(s []int, least int) {
	if len(s) < least {
		sort.Ints(s)
		return
	}
	m := partition(s)
	var wg sync.WaitGroup
	wg.Go(func() { parameter(s[:m], least) })
	parameter(s[m+1:], least)
	wg.Wait()
}

func deep(s []int, depth int) {
	if len(s) < 2 {
		return
	}
	m := partition(s)
	if depth == 0 {
		deep(s[:m], 0)
		deep(s[m+1:], 0)
		return
	}
	var wg sync.WaitGroup
	wg.Go(func() { deep(s[:m], depth-1) })
	deep(s[m+1:], depth-1)
	wg.Wait()
}

// The depth has another name, and at its end the rest is done by another function.
func levels(s []int, d int) {
	if len(s) < 2 {
		return
	}
	if d == 0 {
		sort.Ints(s)
		return
	}
	m := partition(s)
	var wg sync.WaitGroup
	wg.Go(func() { levels(s[:m], d-1) })
	levels(s[m+1:], d-1)
	wg.Wait()
}

// The base does what is left of the work.
func base(s []int) int {
	if len(s) < 2 {
		sum := 0
		for _, v := range s {
			sum += v
		}
		return sum
	}
	c := make(chan int)
	go func() { c <- base(s[:len(s)/2]) }()
	return base(s[len(s)/2:]) + <-c
}

func serially(s []int) {
	if len(s) < 4 {
		sort.Ints(s)
		return
	}
	m := partition(s)
	var wg sync.WaitGroup
	wg.Go(func() { serially(s[:m]) })
	serially(s[m+1:])
	wg.Wait()
}

// A token or the caller itself; a counter; a group with a limit.
func tokens(n int, free chan struct{}) int {
	if n < 2 {
		return n
	}
	c := make(chan int, 1)
	select {
	case free <- struct{}{}:
		go func() {
			c <- tokens(n-1, free)
			<-free
		}()
	default:
		c <- tokens(n-1, free)
	}
	return tokens(n-2, free) + <-c
}

var running atomic.Int64

func counted(n int) int {
	if n < 2 {
		return n
	}
	c := make(chan int, 1)
	if running.Add(1) < 4 {
		go func() { c <- counted(n - 1) }()
	} else {
		c <- counted(n - 1)
	}
	return counted(n-2) + <-c
}

type group struct{ sync.WaitGroup }

func (g *group) Go(f func()) { f() }

func grouped(g *group, n int) {
	if n > 1 {
		g.Go(func() { grouped(g, n-1) })
		g.Go(func() { grouped(g, n-2) })
	}
}

// One goroutine after the other: a chain, a retry, a restart.
func chain(n int, out chan<- int) {
	out <- n
	if n > 0 {
		go chain(n-1, out)
	}
}

func retry(ctx context.Context, attempt int) {
	go func() {
		if ctx.Err() == nil {
			time.Sleep(time.Second)
			retry(ctx, attempt+1)
		}
	}()
}

type server struct{ failed bool }

func (s *server) run() {
	go func() {
		defer func() {
			if recover() != nil {
				s.run()
			}
		}()
		if s.failed {
			s.run()
		}
	}()
}

// Either in a goroutine or not.
func either(n int, now bool) {
	if n == 0 {
		return
	}
	if now {
		either(n-1, false)
		return
	}
	go either(n-1, true)
}

// A few children, whose number is known.
func few(n int) {
	if n == 0 {
		return
	}
	for i := range 3 {
		go few(n - i)
	}
}

// A semaphore before the goroutine.
func bounded(dirs []string, sem chan struct{}) {
	for range dirs {
		sem <- struct{}{}
		go func() {
			defer func() { <-sem }()
			bounded(dirs[1:], sem)
		}()
	}
}

// A queue whose workers put back what failed.
func requeue(jobs chan int, do func(int) error) {
	for job := range jobs {
		go func() {
			if do(job) != nil {
				jobs <- job
			}
		}()
	}
}

// A semaphore, in the loop over the channel.
func throttled(grays chan node, sem chan bool) {
	for gray := range grays {
		sem <- true
		go func() {
			defer func() { <-sem }()
			for _, n := range gray.children() {
				grays <- n
			}
		}()
	}
}

// What fails gives its place to one that waits: a chain, through another function.
type waiter struct{ ready bool }

type dialer struct{ waiting []*waiter }

func (d *dialer) release() {
	for _, w := range d.waiting {
		if w.ready {
			go d.dial(w)
		}
	}
}

func (d *dialer) dial(*waiter) { d.release() }

// One of them only.
func first(n int, ready func(int) bool) {
	for i := 0; i < n; i++ {
		if ready(i) {
			go first(i, ready)
			break
		}
	}
}
