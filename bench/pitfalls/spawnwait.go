package pitfalls

import "sync"

// bothHalves adds up the squares of two halves, which are short.
func bothHalves() pitfall {
	return pitfall{"spawnwait", "two sums of 100 squares", "", 200, func(n int) []form {
		xs := make([]int, n)
		for i := range xs {
			xs[i] = i
		}
		halved := func(sum func(xs []int, m int) int) func() int {
			return func() int { return sum(xs, len(xs)/2) }
		}
		return []form{
			{name: "a goroutine for each", run: halved(sumBothApart)},
			{name: "one goroutine", run: halved(sumOneApart)},
			{name: "no goroutine", run: halved(func(xs []int, m int) int { return sumOfSquares(xs[:m]) + sumOfSquares(xs[m:]) })},
		}
	}}
}

func sumBothApart(xs []int, m int) int {
	var left, right int
	var wg sync.WaitGroup
	wg.Go(func() { left = sumOfSquares(xs[:m]) })
	wg.Go(func() { right = sumOfSquares(xs[m:]) })
	wg.Wait()
	return left + right
}

func sumOneApart(xs []int, m int) int {
	var left int
	var wg sync.WaitGroup
	wg.Go(func() { left = sumOfSquares(xs[:m]) })
	right := sumOfSquares(xs[m:])
	wg.Wait()
	return left + right
}

// sumOfSquares adds up the squares of xs.
func sumOfSquares(xs []int) (sum int) {
	for _, x := range xs {
		sum += x * x
	}
	return sum
}
