package fieldshare

import (
	"sync"
	"sync/atomic"
)

// Each goroutine stores once.
func once(data []int) (a, b int) {
	var wg sync.WaitGroup
	wg.Go(func() {
		sum := 0
		for _, v := range data {
			sum += v
		}
		a = sum
	})
	wg.Go(func() {
		sum := 0
		for _, v := range data {
			sum -= v
		}
		b = sum
	})
	wg.Wait()
	return a, b
}

type padded struct {
	a int64
	_ [56]byte
	b int64
}

// The fields are a line apart.
func padding(data []int64) padded {
	var p padded
	var wg sync.WaitGroup
	wg.Go(func() {
		for _, v := range data {
			p.a += v
		}
	})
	wg.Go(func() {
		for _, v := range data {
			p.b += v
		}
	})
	wg.Wait()
	return p
}

// One after the other, or the one or the other.
func turns(data []int, up bool) {
	var a, b, c int
	done := make(chan bool)
	go func() {
		for _, v := range data {
			a += v
		}
		done <- true
	}()
	<-done
	if up {
		go func() {
			for _, v := range data {
				b += v
			}
		}()
	} else {
		go func() {
			for _, v := range data {
				c += v
			}
		}()
	}
}

// Memory of different variables: only what one function allocates lies together.
func apart(a, b *result, data []int) {
	go func() {
		for _, v := range data {
			a.positive += v
		}
	}()
	go func() {
		for _, v := range data {
			b.positive += v
		}
	}()
}

// The same memory, under a lock: no matter of lines.
func same(data []int) {
	var mu sync.Mutex
	var sum int
	for range 2 {
		go func() {
			for _, v := range data {
				mu.Lock()
				sum += v
				mu.Unlock()
			}
		}()
	}
}

// Variables in different parts of the heap.
func kinds(data []string) (int, string) {
	var n int
	var last string
	var wg sync.WaitGroup
	wg.Go(func() {
		for _, s := range data {
			n += len(s)
		}
	})
	wg.Go(func() {
		for _, s := range data {
			last = s
		}
	})
	wg.Wait()
	return n, last
}

// Pointers to where nobody knows.
func unknownPointers(data []int) {
	a, b := new(int64), new(int64)
	go func() {
		for range data {
			atomic.AddInt64(a, 1)
		}
	}()
	go func() {
		for range data {
			atomic.AddInt64(b, 1)
		}
	}()
}
