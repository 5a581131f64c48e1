// Package articles has the systems of articles on concurrency in Go that are slower
// than they could be. Each function bears the number of its system.
package articles

import (
	"encoding/binary"
	"hash/fnv"
	"strconv"
	"sync"
)

type result struct {
	in  string
	sum uint64
	err error
}

// sumText folds the sum of a text into itself, again and again.
func sumText(s string) (uint64, error) {
	h := fnv.New64a()
	text := []byte(s)
	var sum uint64
	for range 10_000 {
		h.Write(text)
		sum = h.Sum64()
		text = []byte(strconv.FormatUint(sum, 10))
	}
	return sum, nil
}

// A1: a pool that takes unit by unit from a channel with room for some.
func a1Pool(units []string, work func(string) (uint64, error), workers, buffer int) []result {
	todo := make(chan string, buffer)
	done := make(chan result, buffer)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for u := range todo {
				sum, err := work(u)
				done <- result{u, sum, err}
			}
		})
	}
	go func() {
		for _, u := range units {
			todo <- u
		}
		close(todo)
		wg.Wait()
		close(done)
	}()
	var all []result
	for r := range done {
		all = append(all, r)
	}
	return all
}

// A3: units that allocate a text in each of 10,000 rounds.
func a3Allocates(units []string, workers int) []result {
	return a1Pool(units, sumText, workers, len(units))
}

// A5: units that each allocate the buffer of their hash.
func a5Buffer(in uint64) uint64 {
	h := fnv.New64a()
	buffer := make([]byte, 8)
	for range 10_000 {
		binary.LittleEndian.PutUint64(buffer, in)
		h.Write(buffer)
		in = h.Sum64()
	}
	return in
}

// A6: more workers than CPUs, for units that compute.
func a6Workers(units []uint64) uint64 {
	todo := make(chan uint64, len(units)) // want `chanarray/info: this channel has room for all that is sent`
	var wg sync.WaitGroup
	for range 1000 {
		wg.Go(func() {
			for n := range todo {
				var x uint64
				for i := range n {
					x = i % 2
				}
				_ = x
			}
		})
	}
	for _, u := range units {
		todo <- u
	}
	close(todo)
	wg.Wait()
	return 0
}

// The same without workers: a goroutine for each unit, however many there are.
func a6Unbounded(units []uint64) []uint64 {
	sums := make([]uint64, len(units))
	var wg sync.WaitGroup
	for i, u := range units {
		wg.Go(func() { // want `unboundedgo/info: a goroutine is started for each number, .*: sweetspot.ForEach runs`
			for j := range u {
				sums[i] += j % 2 // want `falseshare/quiet: each goroutine writes its own sums\[i\]`
			}
		})
	}
	wg.Wait()
	return sums
}

// A9: the same for units that wait.
func a9Unbounded(units []string, work func(string) error) []error {
	errs := make([]error, len(units))
	var wg sync.WaitGroup
	for i, u := range units {
		wg.Go(func() { errs[i] = work(u) })
	}
	wg.Wait()
	return errs
}
