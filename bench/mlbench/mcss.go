package main

func mcss() problem {
	return problem{"mcss", "the largest sum of neighbouring numbers", []int{20_000_000, 500_000}, func(n int) solutions {
		numbers := make([]float64, n)
		for i := range numbers {
			// 512ths: their sums are exact in any order.
			numbers[i] = float64(int(hash(uint64(i))%1000)-500) / 512
		}
		return compare(equal, func(form int) float64 {
			return reduce(form, n, func(s stretch, lo, hi int) stretch { return s.over(numbers[lo:hi]) }, stretch.then).best
		})
	}}
}

// A stretch of numbers has a sum, and the largest sum of some at its beginning, at its
// end, and anywhere in it.
type stretch struct{ sum, first, last, best float64 }

// then joins a stretch and the one that follows it.
func (s stretch) then(t stretch) stretch {
	return stretch{
		sum:   s.sum + t.sum,
		first: max(s.first, s.sum+t.first),
		last:  max(t.last, s.last+t.sum),
		best:  max(s.best, t.best, s.last+t.first),
	}
}

// over lengthens a stretch by numbers.
func (s stretch) over(numbers []float64) stretch {
	for _, x := range numbers {
		own := max(x, 0)
		s = s.then(stretch{x, own, own, own})
	}
	return s
}
