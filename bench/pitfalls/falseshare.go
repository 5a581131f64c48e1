package pitfalls

import (
	"context"
	"sync"

	"github.com/sweetspot-go/sweetspot"
)

// sumInSlots adds numbers, each worker into a place of its own.
func sumInSlots() pitfall {
	return pitfall{"falseshare", "a sum for each worker", "addition", 1 << 20, func(n int) []form {
		numbers := make([]int, n)
		for i := range numbers {
			numbers[i] = i
		}
		return []form{
			{name: "slots side by side", run: func() int { return sumSideBySide(numbers, procs()) }},
			{name: "slots 128 bytes apart", run: func() int { return sumApart(numbers, procs()) }},
			{name: "a local variable", run: func() int { return sumLocally(numbers, procs()) }},
			{name: "ReduceRange", run: func() int { return sumReduced(numbers) }},
		}
	}}
}

func sumSideBySide(numbers []int, workers int) (total int) {
	sums := make([]int, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for _, x := range part(numbers, w, workers) {
				sums[w] += x // workers write to one cache line in turn
			}
		})
	}
	wg.Wait()
	for _, s := range sums {
		total += s
	}
	return total
}

func sumLocally(numbers []int, workers int) (total int) {
	sums := make([]int, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			sum := 0
			for _, x := range part(numbers, w, workers) {
				sum += x
			}
			sums[w] = sum // once
		})
	}
	wg.Wait()
	for _, s := range sums {
		total += s
	}
	return total
}

// apart is a distance at which slots share nothing: two lines of 64 bytes, which
// some CPUs fetch as a pair, or one of 128.
const apart = 128

// sumApart shows what of the cost is the line, and what is that the sum lives in
// memory.
func sumApart(numbers []int, workers int) (total int) {
	type slot struct {
		sum int
		_   [apart - 8]byte
	}
	sums := make([]slot, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for _, x := range part(numbers, w, workers) {
				sums[w].sum += x
			}
		})
	}
	wg.Wait()
	for i := range sums {
		total += sums[i].sum
	}
	return total
}

func sumReduced(numbers []int) int {
	total, err := sweetspot.ReduceRange(context.Background(), len(numbers),
		func() int { return 0 },
		func(ctx context.Context, sum, low, high int) (int, error) {
			for _, x := range numbers[low:high] {
				sum += x
			}
			return sum, nil
		},
		func(a, b int) int { return a + b })
	if err != nil {
		panic(err) // nothing in it can fail
	}
	return total
}

func part[T any](s []T, w, workers int) []T {
	return s[len(s)*w/workers : len(s)*(w+1)/workers]
}
