package lab

import (
	"fmt"
	"math"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/humanize"

	"github.com/sweetspot-go/sweetspot/lab/figures"
)

// d1 is the baseline of D2 and D3.
func d1() *experiment {
	return &experiment{
		id: "D1", title: "Fibonacci by a plain recursion", article: articleGoroutines,
		about:  "fib(27) = 196,418 by the plain recursion, run after run in one goroutine.",
		claim:  "1.47 ms a run, standard deviation 18.4 µs (N5105, 4 CPUs)",
		size:   size{30, 1000, 1000, "runs"},
		better: lower,
		points: func(scale) []point { return []point{fibPoint("Slow", false, slow), deviationPoint(), ourFib()} },
		judge: func(r *results) verdict {
			p := r.at("Slow", 0)
			ours := r.answer()
			return verdict{
				words: fmt.Sprintf("%s ms a run, between %s and %s ms; standard deviation %s µs",
					humanize.Number(p.Y/1e6), humanize.Number(p.Low/1e6), humanize.Number(p.High/1e6), humanize.Number(r.at(deviation, 0).Y/1e3)),
				effect: figures.Baseline,
				ours:   ours,
			}
		},
	}
}

const deviation = "Slow, standard deviation"

// deviationPoint measures how much the n runs of a process differ.
func deviationPoint() point {
	p := fibPoint(deviation, false, slow)
	p.unit, p.aside = "ns", true
	set := p.set
	p.set = func(n int) (task, error) {
		single, err := set(1)
		times := make([]float64, n)
		return task{
			run: func() error {
				for i := range times {
					began := time.Now()
					if err := single.run(); err != nil {
						return err
					}
					times[i] = float64(time.Since(began).Nanoseconds())
				}
				return nil
			},
			check:  single.check,
			figure: func(time.Duration) float64 { return standardDeviation(times) },
		}, err
	}
	return p
}

func standardDeviation(xs []float64) float64 {
	mean, squares := 0.0, 0.0
	for _, x := range xs {
		mean += x / float64(len(xs))
	}
	for _, x := range xs {
		squares += (x - mean) * (x - mean)
	}
	return math.Sqrt(squares / float64(len(xs)))
}
