package falseshare

import (
	"sync"
	"unsafe"
)

// Each goroutine writes its slot once.
func once(n int, data []int) []int {
	sums := make([]int, n)
	var wg sync.WaitGroup
	for w := range n {
		wg.Go(func() {
			sum := 0
			for _, v := range data {
				sum += v
			}
			sums[w] = sum
		})
	}
	wg.Wait()
	return sums
}

// Each goroutine writes a part of the slice from end to end.
func parts(n int, out, in []float64) {
	size := (len(in) + n - 1) / n
	var wg sync.WaitGroup
	for w := range n {
		wg.Go(func() {
			for i := w * size; i < min((w+1)*size, len(in)); i++ {
				out[i] = 2 * in[i]
			}
		})
	}
	wg.Wait()
}

// Rows of a matrix: the inner loop adds to one element, but a goroutine's elements
// follow each other.
func matrix(n int, out []float64, rows [][]float64, x []float64) {
	size := len(rows) / n
	var wg sync.WaitGroup
	for w := range n {
		wg.Go(func() {
			for i := w * size; i < (w+1)*size; i++ {
				for j, v := range rows[i] {
					out[i] += v * x[j]
				}
			}
		})
	}
	wg.Wait()
}

type padded struct {
	n int
	_ [64 - unsafe.Sizeof(int(0))]byte
}

func padding(n int, data []int) {
	counts := make([]padded, n)
	var wg sync.WaitGroup
	for w := range n {
		wg.Go(func() {
			for range data {
				counts[w].n++
			}
		})
	}
	wg.Wait()
}

// Slots that are a cache line apart, by their index.
func apart(n int, data []int, stride int) {
	sums := make([]int64, 8*n)
	other := make([]int64, stride*n)
	var wg sync.WaitGroup
	for w := range n {
		wg.Go(func() {
			at := w * stride
			for range data {
				sums[8*w]++
				other[at]++
			}
		})
	}
	wg.Wait()
}

// Slots behind pointers, and arrays of each goroutine's own.
func pointers(n int, data []int) {
	sums := make([]*int, n)
	rows := make([][]int, n)
	var wg sync.WaitGroup
	for w := range n {
		sums[w] = new(int)
		rows[w] = make([]int, 100)
		wg.Go(func() {
			own := make([]int, 4)
			for i := range data {
				*sums[w] += i
				rows[w][i%100] += i
				rows[w][0] += i
				own[w%4]++
			}
		})
	}
	wg.Wait()
}

// The same slot for all: a data race or a lock, but no slots side by side. A
// histogram: any slot for any goroutine.
func same(n, k int, data []int) {
	counts := make([]int, 100)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			for _, v := range data {
				mu.Lock()
				counts[k]++
				counts[v%100]++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
}

// Each goroutine has a slice of its own batch.
func batches(batches [][]int) {
	for _, batch := range batches {
		var wg sync.WaitGroup
		wg.Go(func() {
			for i := range batch {
				batch[0] += i
			}
		})
		wg.Wait()
	}
}

// A result or an error ends the loop; a maximum changes less and less often.
func ends(n int, data []int) {
	found := make([]int, n)
	largest := make([]int, n)
	var wg sync.WaitGroup
	for w := range n {
		wg.Go(func() {
			for i, v := range data {
				if v > largest[w] {
					largest[w] = v
				}
				if v == w {
					found[w] = i
					return
				}
			}
		})
	}
	wg.Wait()
}

// One goroutine only.
func single(w int, data []int, done chan bool) {
	sums := make([]int, 8)
	go func() {
		for _, v := range data {
			sums[w] += v
		}
		done <- true
	}()
	<-done
}

// A table by name is not a slice.
func table(names []string, data []int) {
	var mu sync.Mutex
	counts := make(map[string]int)
	for _, name := range names {
		go func() {
			for range data {
				mu.Lock()
				counts[name]++
				mu.Unlock()
			}
		}()
	}
}

// Silenced, by the line above and in the line itself.
func silenced(n int, data []int) {
	sums := make([]int, n)
	for w := range n {
		go func() {
			for _, v := range data {
				//sweetspot:ignore falseshare the other goroutine sleeps
				sums[w] += v
			}
		}()
		go func() {
			for _, v := range data {
				sums[w] -= v //sweetspot:ignore falseshare,chanitem the other goroutine sleeps
			}
		}()
	}
}

// Type parameters have no size.
func generic[T any](n int, data []T) {
	last := make([]T, n)
	for w := range n {
		go func() {
			for _, v := range data {
				last[w] = v
			}
		}()
	}
}

// Variables whose values refer to each other.
type link struct {
	next *link
	n    int
}

func circles(n int, data []int, first *link) {
	sums := make([]int, n)
	for range n {
		go func() {
			var a, b *link
			var i, j int
			a = b.next
			b = a.next
			i = j + 1
			j = i + 1
			for range data {
				a.n++
				b.n++
				sums[i]++
				sums[j]++
			}
		}()
	}
}

// Errors are rare.
func errors(n int, data []int, check func(int) error) []int {
	bad := make([]int, n)
	for w := range n {
		go func() {
			for _, v := range data {
				if err := check(v); err != nil {
					bad[w]++
				}
			}
		}()
	}
	return bad
}

// The next goroutine starts when the last one has ended.
func inTurn(parts [][]int, ctx chan struct{}) []int {
	sums := make([]int, len(parts))
	for w, part := range parts {
		done := make(chan struct{})
		go func() {
			defer close(done)
			for _, v := range part {
				sums[w] += v
			}
		}()
		select {
		case <-done:
		case <-ctx:
			return nil
		}
	}
	for w, part := range parts {
		var wg sync.WaitGroup
		wg.Go(func() {
			for _, v := range part {
				sums[w] -= v
			}
		})
		wg.Wait()
	}
	for w, part := range parts {
		done := make(chan bool)
		go func() {
			for _, v := range part {
				sums[w] ^= v
			}
			done <- true
		}()
		<-done
	}
	return sums
}
