// Package spawnwait starts goroutines, and waits.
package spawnwait

import "sync"

func fib(i int) int {
	if i < 2 {
		return i
	}
	a := make(chan int)
	go func() { a <- fib(i - 1) }()
	b := make(chan int)
	go func() { b <- fib(i - 2) }() // want `hot: the goroutine that starts this one only waits for it: let it do this part itself, or leave the choice to sweetspot.Join`
	return <-a + <-b
}

type group struct{ sync.WaitGroup }

func (g *group) Wait() error { return nil }

func halves(f, g func()) error {
	var wg sync.WaitGroup
	wg.Go(f)
	wg.Go(g) // want `hot: `
	wg.Wait()
	var gr group
	gr.Go(f)
	gr.Go(g) // want `hot: `
	if err := gr.Wait(); err != nil {
		return err
	}
	return nil
}

// None of these.

func half(i int) int {
	a := make(chan int)
	go func() { a <- fib(i - 1) }()
	b := fib(i - 2)
	return <-a + b
}

func timed(f func() int, timeout <-chan int) int {
	c := make(chan int)
	go func() { c <- f() }()
	select {
	case v := <-c:
		return v
	case v := <-timeout:
		return v
	}
}

func until(done <-chan struct{}, f func()) {
	go f()
	<-done
}

func all(f []func()) {
	var wg sync.WaitGroup
	for _, f := range f {
		wg.Go(f)
	}
	wg.Wait()
}
