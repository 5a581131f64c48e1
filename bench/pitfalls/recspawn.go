package pitfalls

import (
	"slices"
	"sync"

	"github.com/sweetspot-go/sweetspot"
)

// sortRecursively sorts random numbers, each half of a partition by itself.
func sortRecursively() pitfall {
	return pitfall{"recspawn", "quicksort", "number", 1 << 18, func(n int) []form {
		random := make([]int, n)
		for i := range random {
			random[i] = int(scattered(i) >> 1)
		}
		xs := make([]int, n)
		sorted := func(sort func([]int)) func() int {
			return func() int {
				copy(xs, random)
				sort(xs)
				if !slices.IsSorted(xs) {
					return -1
				}
				return xs[n/2]
			}
		}
		return []form{
			{name: "a goroutine for each half", run: sorted(sortEach)},
			{name: "with a cutoff", run: sorted(sortCut)},
			{name: "JoinSerial", run: sorted(func(xs []int) { sortJoined(sweetspot.NewJoiner(), xs) })},
			{name: "no goroutine", run: sorted(func(xs []int) { sortSerial(xs) })},
		}
	}}
}

func sortEach(xs []int) {
	if len(xs) < 2 {
		return
	}
	p := partition(xs)
	var wg sync.WaitGroup
	wg.Go(func() { sortEach(xs[:p]) }) // for two numbers, too
	sortEach(xs[p:])
	wg.Wait()
}

func sortCut(xs []int) {
	if len(xs) < 8192 {
		sortSerial(xs)
		return
	}
	p := partition(xs)
	var wg sync.WaitGroup
	wg.Go(func() { sortCut(xs[:p]) })
	sortCut(xs[p:])
	wg.Wait()
}

func sortJoined(j *sweetspot.Joiner, xs []int) struct{} {
	if len(xs) < 2 {
		return struct{}{}
	}
	p := partition(xs)
	sweetspot.JoinSerial(j, sortJoined, sortSerial, xs[:p], xs[p:])
	return struct{}{}
}

func sortSerial(xs []int) struct{} {
	for len(xs) > 1 {
		p := partition(xs)
		sortSerial(xs[:p])
		xs = xs[p:]
	}
	return struct{}{}
}

// partition moves what is less than the middle one to the front, and returns where
// the others begin; neither part is empty (Hoare).
func partition(xs []int) int {
	pivot := xs[(len(xs)-1)/2]
	i, j := -1, len(xs)
	for {
		for i++; xs[i] < pivot; i++ {
		}
		for j--; xs[j] > pivot; j-- {
		}
		if i >= j {
			return j + 1
		}
		xs[i], xs[j] = xs[j], xs[i]
	}
}

// callRecursively computes a Fibonacci number: a recursion whose calls do next to
// nothing. Its n is that of the number.
func callRecursively() pitfall {
	return pitfall{"recspawn", "fib(20)", "", 20, func(n int) []form {
		return []form{
			{name: "a goroutine for each half", run: func() int { return fibEach(n) }},
			{name: "JoinSerial", run: func() int { return fibJoined(sweetspot.NewJoiner(), n) }},
			{name: "no goroutine", run: func() int { return fibSerial(n) }},
		}
	}}
}

func fibEach(n int) int {
	if n < 2 {
		return n
	}
	half := make(chan int)
	go func() { half <- fibEach(n - 1) }()
	b := fibEach(n - 2)
	return <-half + b
}

func fibJoined(j *sweetspot.Joiner, n int) int {
	if n < 2 {
		return n
	}
	a, b := sweetspot.JoinSerial(j, fibJoined, fibSerial, n-1, n-2)
	return a + b
}

func fibSerial(n int) int {
	if n < 2 {
		return n
	}
	return fibSerial(n-1) + fibSerial(n-2)
}
