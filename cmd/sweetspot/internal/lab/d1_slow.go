package lab

import "fmt"

// d1 is the baseline of D2 and D3.
func d1() *experiment {
	return &experiment{
		id: "D1", title: "Fibonacci by a plain recursion", article: articleGoroutines,
		about:  "fib(27) = 196,418 by the plain recursion, run after run in one goroutine.",
		claim:  "1.47 ms a run, standard deviation 18.4 µs (N5105, 4 CPUs)",
		size:   size{30, 1000, 1000, "runs"},
		better: lower,
		points: func(scale) []point { return []point{fibPoint("Slow", false, slow), ourFib()} },
		judge: func(r *results) verdict {
			p := r.at("Slow", 0)
			ours := r.answer()
			return verdict{
				words: fmt.Sprintf("%s ms a run, between %s and %s ms", three(p.Y/1e6), three(p.Low/1e6), three(p.High/1e6)),
				holds: true, // a baseline: there is no effect to miss
				ours:  ours,
			}
		},
	}
}
