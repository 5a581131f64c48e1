package articles

import (
	"runtime"
	"sync"
)

const limit = 10_000_000_000

// B2: a goroutine per CPU adds into its element of one slice.
func b2Shared() int64 {
	n := runtime.GOMAXPROCS(0)
	sums := make([]int64, n)
	var wg sync.WaitGroup
	for i := 0; i < n; i++ {
		wg.Add(1)
		go func(i int) {
			defer wg.Done()
			from, to := int64(limit)*int64(i)/int64(n), int64(limit)*int64(i+1)/int64(n)
			for j := from; j < to; j++ {
				sums[i] += j // want `falseshare/quiet: each goroutine writes its own sums\[i\] in a loop, but several of them share a cache line`
			}
		}(i)
	}
	wg.Wait()
	var sum int64
	for _, s := range sums {
		sum += s
	}
	return sum
}

// B4: the elements are 32 bytes apart.
func b4Stride() int64 {
	const stride = 4
	n := runtime.GOMAXPROCS(0)
	sums := make([]int64, stride*n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			for j := int64(i); j < limit; j += int64(n) {
				sums[i*stride] += j // want `falseshare/quiet: each goroutine writes its own sums\[i \* stride\]`
			}
		})
	}
	wg.Wait()
	var sum int64
	for i := range n {
		sum += sums[i*stride]
	}
	return sum
}
