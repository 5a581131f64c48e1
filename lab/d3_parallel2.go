package lab

import (
	"fmt"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
)

func d3() *experiment {
	return &experiment{
		id: "D3", title: "One goroutine and one channel for each call", article: articleGoroutines,
		about:  "fib(27) where each call starts a goroutine for one half, and does the other half itself. Beside it, unless quick, the one that only waits (D2).",
		claim:  "111 ms a run: three times faster than two goroutines for each call, still 75 times slower than the plain recursion, with 4 CPUs",
		size:   size{1, 20, 1000, "runs"},
		better: lower,
		points: func(s scale) []point {
			ps := []point{fibPoint("Slow", false, slow), fibPoint("Parallel2", false, parallel2)}
			if s != quick { // it takes as long as all else of quick work does here
				ps = append(ps, fibPoint("Parallel1", false, parallel1))
			}
			return append(ps, ourFib())
		},
		judge: func(r *results) verdict {
			serial, p := r.at("Slow", 0), r.at("Parallel2", 0)
			s := ratio(p, serial)
			words := fmt.Sprintf("Parallel2 takes %v the time of Slow, %s more for each of its goroutines",
				s, humanize.Format((p.Y-serial.Y)/fibCalls, "ns"))
			for _, p1 := range r.of("Parallel1") {
				words += fmt.Sprintf("; Parallel1 takes %v the time of Parallel2", ratio(p1, p))
			}
			return verdict{words: words, holds: s.low > 1, ours: r.answer()}
		},
	}
}
