package chanitem

import (
	"os"

	"chanitem/remote"
)

// In the files miss_*.go there is nothing to report but where a profile says so.

// The items are jobs: files to remove.
func removals(urls []string) {
	c := make(chan string)
	for range 4 {
		go func() {
			for url := range c {
				os.Remove(url)
			}
		}()
	}
	for _, url := range urls {
		c <- url
	}
	close(c)
}

// I/O in another package, in functions and methods.
func stored(n int, client *remote.Client) {
	a, b := make(chan int), make(chan int)
	go func() {
		for i := range a {
			remote.Store(i)
		}
	}()
	go func() {
		for i := range b {
			client.Send(i)
		}
	}()
	for i := range n {
		a <- i
		b <- i
	}
}

// In another package, but no I/O.
func halved(n int) (sum int) {
	c := make(chan int)
	go func() {
		for i := range n {
			c <- i // want `quiet`
		}
		close(c)
	}()
	for i := range c {
		sum += remote.Half(i)
	}
	return sum
}

// I/O behind an interface: what can fail.
type byteWriter interface{ WriteByte(byte) error }

func written(w byteWriter, data []byte) {
	c := make(chan byte)
	go func() {
		for _, b := range data {
			c <- b
		}
		close(c)
	}()
	for b := range c {
		w.WriteByte(b)
	}
}

// Making an item takes I/O.
func lines(f *os.File) (n int) {
	c := make(chan int)
	go func() {
		buf := make([]byte, 1000)
		for {
			k, err := f.Read(buf)
			if err != nil {
				break
			}
			c <- k
		}
		close(c)
	}()
	for k := range c {
		n += k
	}
	return n
}

// What Scan does is not known.
type scanner interface {
	Scan() bool
	Text() string
}

func scanned(s scanner) (n int) {
	c := make(chan string)
	go func() {
		for s.Scan() {
			c <- s.Text() // want `hot`
		}
		close(c)
	}()
	for line := range c {
		n += len(line)
	}
	return n
}
