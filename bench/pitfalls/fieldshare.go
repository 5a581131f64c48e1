package pitfalls

import "sync"

// sumInFields adds numbers and their squares, each by a goroutine of its own.
func sumInFields() pitfall {
	return pitfall{"fieldshare", "two sums of the same numbers", "number", 1 << 20, func(n int) []form {
		numbers := make([]int, n)
		for i := range numbers {
			numbers[i] = i
		}
		sum := func(plain, squares int) int { return plain ^ squares }
		return []form{
			{name: "fields side by side", run: func() int { return sum(sumFields(numbers)) }},
			{name: "local variables", run: func() int { return sum(sumLocals(numbers)) }},
		}
	}}
}

func sumFields(numbers []int) (plain, squares int) {
	var sums struct{ plain, squares int }
	var wg sync.WaitGroup
	wg.Go(func() {
		for _, x := range numbers {
			sums.plain += x
		}
	})
	wg.Go(func() {
		for _, x := range numbers {
			sums.squares += x * x // in the line that the other goroutine writes to
		}
	})
	wg.Wait()
	return sums.plain, sums.squares
}

func sumLocals(numbers []int) (plain, squares int) {
	var sums struct{ plain, squares int }
	var wg sync.WaitGroup
	wg.Go(func() {
		sum := 0
		for _, x := range numbers {
			sum += x
		}
		sums.plain = sum
	})
	wg.Go(func() {
		sum := 0
		for _, x := range numbers {
			sum += x * x
		}
		sums.squares = sum
	})
	wg.Wait()
	return sums.plain, sums.squares
}
