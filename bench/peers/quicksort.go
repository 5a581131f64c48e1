package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/sweetspot-go/sweetspot"
)

// quicksort sorts in place and returns 0, as recursions return a number.
func quicksort(xs []int) int {
	for len(xs) > 16 {
		p := partition(xs)
		quicksort(xs[:p])
		xs = xs[p:]
	}
	insertion(xs)
	return 0
}

func joinedQuicksort(j *sweetspot.Joiner, xs []int) int {
	if len(xs) <= 16 {
		insertion(xs)
		return 0
	}
	p := partition(xs)
	sweetspot.JoinSerial(j, joinedQuicksort, quicksort, xs[:p], xs[p:])
	return 0
}

// partition moves what is less than the middle one of three to the front, and
// returns where the others begin; neither part is empty (Hoare).
func partition(xs []int) int {
	a, b, c := xs[0], xs[len(xs)/2], xs[len(xs)-1]
	pivot := max(min(a, b), min(max(a, b), c))
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

func insertion(xs []int) {
	for i := 1; i < len(xs); i++ {
		x := xs[i]
		j := i
		for ; j > 0 && xs[j-1] > x; j-- {
			xs[j] = xs[j-1]
		}
		xs[j] = x
	}
}

// sorting sorts n random numbers. Its halves are independent sorts of a part of
// them each, and so need not partition the whole.
func sorting(n int) recursion {
	return recursion{name: fmt.Sprintf("quicksort of %d ints", n), set: func(parts int) ways {
		random := rand.New(rand.NewPCG(1, 2))
		unsorted := make([]int, n)
		for i := range unsorted {
			unsorted[i] = random.Int()
		}
		xs := make([]int, n)
		return ways{
			before: func() { copy(xs, unsorted) },
			serial: func() int { return quicksort(xs) },
			join:   func() int { return joinedQuicksort(sweetspot.NewJoiner(), xs) },
			halves: func(part int) int { return quicksort(xs[n*part/parts : n*(part+1)/parts]) },
			check: func(_ int, halves bool) error {
				descents, most := 0, 0
				if halves {
					most = parts - 1
				}
				for i := 1; i < n; i++ {
					if xs[i-1] > xs[i] {
						descents++
					}
				}
				if descents > most {
					return fmt.Errorf("%d numbers are smaller than the one before, want at most %d", descents, most)
				}
				return nil
			},
		}
	}}
}
