package sweetspot_test

import (
	"fmt"
	"slices"

	"github.com/sweetspot-go/sweetspot"
)

// Parallel quicksort. The halves have no result but the slice itself.
func ExampleJoin() {
	type none struct{}
	var quicksort func(j *sweetspot.Joiner, s []int) none
	quicksort = func(j *sweetspot.Joiner, s []int) none {
		if len(s) <= 32 {
			slices.Sort(s)
			return none{}
		}
		p := partition(s)
		sweetspot.Join(j, quicksort, s[:p], s[p+1:])
		return none{}
	}

	s := make([]int, 100_000)
	for i := range s {
		s[i] = i * 7919 % len(s) // each number once
	}
	quicksort(sweetspot.NewJoiner(), s)
	fmt.Println(slices.IsSorted(s), s[:5])
	// Output: true [0 1 2 3 4]
}

// partition moves what is less than some element before it, what is not behind
// it, and returns its index.
func partition(s []int) int {
	last := len(s) - 1
	s[len(s)/2], s[last] = s[last], s[len(s)/2]
	p := 0
	for i, v := range s[:last] {
		if v < s[last] {
			s[i], s[p] = s[p], s[i]
			p++
		}
	}
	s[p], s[last] = s[last], s[p]
	return p
}

// The recursion that goroutines made 200 times slower. Nearly all of it runs in
// serialFib, on all CPUs, and there is no cutoff to choose.
func ExampleJoinSerial() {
	fmt.Println(joinFib(sweetspot.NewJoiner(), 27))
	// Output: 196418
}

func joinFib(j *sweetspot.Joiner, n int) int {
	if n < 2 {
		return n
	}
	a, b := sweetspot.JoinSerial(j, joinFib, serialFib, n-1, n-2)
	return a + b
}

func serialFib(n int) int {
	if n < 2 {
		return n
	}
	return serialFib(n-1) + serialFib(n-2)
}

func ExampleJoiner_Do() {
	words, lines := 0, 0
	sweetspot.NewJoiner().Do(
		func(*sweetspot.Joiner) { words = countWords("fork and join") },
		func(*sweetspot.Joiner) { lines = countLines("fork\nand\njoin\n") },
	)
	fmt.Println(words, lines)
	// Output: 3 3
}

func countWords(s string) (n int) {
	for i := range s {
		if s[i] != ' ' && (i == 0 || s[i-1] == ' ') {
			n++
		}
	}
	return n
}

func countLines(s string) (n int) {
	for _, c := range s {
		if c == '\n' {
			n++
		}
	}
	return n
}

// At most three goroutines, the caller's included.
func ExampleNewJoiner() {
	j := sweetspot.NewJoiner(sweetspot.Fixed(3))
	fmt.Println(joinFib(j, 20), joinFib(j, 10))
	// Output: 6765 55
}
