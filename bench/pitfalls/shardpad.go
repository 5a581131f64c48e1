package pitfalls

import (
	"sync"
	"unsafe"
)

// stripesForAll counts keys behind the stripes of a lock; all goroutines use all
// stripes.
func stripesForAll() pitfall {
	return pitfall{"shardpad", "stripes that all goroutines use", "count", 1 << 18, func(n int) []form {
		return stripeForms(n, func(_, i int) uint64 { return scattered(i) })
	}}
}

// stripesOfOne is the same where each goroutine has its own keys, as where requests
// of a connection stay with a worker. Its stripes lie between those of the others.
func stripesOfOne() pitfall {
	return pitfall{"shardpad", "stripes that one goroutine uses", "count", 1 << 18, func(n int) []form {
		workers := uint64(procs())
		return stripeForms(n, func(w, i int) uint64 { return scattered(i)/workers*workers + uint64(w) })
	}}
}

func stripeForms(n int, key func(w, i int) uint64) []form {
	return []form{
		{name: "stripes side by side", run: func() int { c := &counts{}; return everyKey(n, key, c.add, c.total) }},
		{name: "stripes padded", run: func() int { c := &paddedCounts{}; return everyKey(n, key, c.add, c.total) }},
	}
}

// stripes is how many locks share the keys.
const stripes = 64

type stripe struct {
	mu sync.Mutex
	n  int
} // 16 bytes: four to a cache line

type counts [stripes]stripe

func (c *counts) add(key uint64) {
	s := &c[key%stripes]
	s.mu.Lock()
	s.n++
	s.mu.Unlock()
}

type paddedStripe struct {
	mu sync.Mutex
	n  int
	_  [64 - unsafe.Sizeof(stripe{})%64]byte
}

type paddedCounts [stripes]paddedStripe

func (c *paddedCounts) add(key uint64) {
	s := &c[key%stripes]
	s.mu.Lock()
	s.n++
	s.mu.Unlock()
}

func (c *counts) total() (total int) {
	for i := range c {
		total += c[i].n
	}
	return total
}

func (c *paddedCounts) total() (total int) {
	for i := range c {
		total += c[i].n
	}
	return total
}

// everyKey counts n keys from one goroutine for each CPU.
func everyKey(n int, key func(w, i int) uint64, add func(uint64), total func() int) int {
	workers := procs()
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := n * w / workers; i < n*(w+1)/workers; i++ {
				add(key(w, i))
			}
		})
	}
	wg.Wait()
	return total()
}

// scattered is a number without a pattern in it (Steele, Lea and Flood, "Fast
// splittable pseudorandom number generators", 2014: the finaliser of splitmix64).
func scattered(i int) uint64 {
	x := uint64(i) * 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
