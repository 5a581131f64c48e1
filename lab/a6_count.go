package lab

import (
	"fmt"
	"runtime"
	"slices"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/lab/figures"
)

// a6 is the fourth attempt of the article: units that only count.
func a6() *experiment {
	const real, empty, none = "counting units", "empty units", "no units"
	const ours = "Map, "
	return &experiment{
		id: "A6", size: size{100, 1000, 3000, "units counting to 1,000,000"},
		axis: figures.Axis{Name: workersAxis.Name, Log2: true},
		points: func(s scale) []point {
			all := countingWorkers(s)
			few := slices.DeleteFunc(slices.Clone(all), func(n int) bool { return s == quick && n > max(100, manyWorkers(runtime.GOMAXPROCS(0))) })
			return slices.Concat(
				each(few, func(n int) point { return doPoint(real, countUnits, n, wholeBuffer) }),
				each(all, func(n int) point { return doPoint(empty, noUnits, n, wholeBuffer) }),
				each(all, func(n int) point { return startPoint(none, n) }),
				[]point{mapPoint(ours+real, countUnits), mapPoint(ours+empty, noUnits)})
		},
		judge: func(r *results) verdict {
			isOf := func(label string) func(*figures.Point) bool {
				return func(p *figures.Point) bool { return p.Label == label }
			}
			cpus := float64(r.cpus)
			counting, bare, start := r.fitBeyond(real, cpus), r.fitBeyond(empty, cpus), r.fitBeyond(none, cpus)
			starting := "With no units, where goroutines only start and end, each adds " + slope(start) + "."
			if 0 < start.Slope && start.Slope < bare.Slope {
				starting += fmt.Sprintf(" That is %s of the cost with empty units; the rest is scheduling.", humanize.Number(start.Slope/bare.Slope))
			}
			bestEmpty := r.bestOf(isOf(empty))
			toEmpty := r.answerOf(isOf(empty), r.at(ours+empty, 0))
			return verdict{
				words: "each goroutine beyond the CPU count adds " + slope(counting),
				// What the article measured; empty units would show even less than a
				// thousandth of that.
				effect: estimate{counting.Slope, counting.Low, counting.High}.sees(0, claimedSlope()/2),
				ours:   r.answerOf(isOf(real), r.at(ours+real, 0)),
				fits:   []figures.Fit{counting, bare, start},
				notes: []string{
					fmt.Sprintf("With %s, where nothing hides the cost, each adds %s.", humanize.Count(emptyUnits, empty), slope(bare)),
					starting,
					"Counting units: " + r.bestNumber(real) + ".",
					fmt.Sprintf("Empty units: Map is %s times as good as the pool at its best, with %s (%s to %s).",
						humanize.Number(toEmpty.Ratio), humanize.Count(int(bestEmpty.X), "workers"), humanize.Number(toEmpty.Low), humanize.Number(toEmpty.High)),
				},
			}
		},
		untold: func(r *results) string {
			xs, centres, slopes := r.slopesBeyond(real, float64(r.cpus))
			more := claimedSlope() * (xs[len(xs)-1] - xs[0])
			return fmt.Sprintf("If the claim holds, all %s together add %s to a run of %s, which is %s %%. The slope of one round is %s to %s. "+
				"It takes about %s to know the slope to half of 500 ns. The empty units beside it show the cost, because nothing hides it there.",
				humanize.Count(int(xs[len(xs)-1]), "workers"), humanize.Format(more, "ms"), humanize.Format(estimateOf(centres).y, "ms"), humanize.Number(100*more/estimateOf(centres).y),
				humanize.Format(slices.Min(slopes), "ms"), humanize.Format(slices.Max(slopes), "ms"), r.toTell(slopes, claimedSlope()/2))
		},
	}
}

// startPoint measures workers that find nothing to do.
func startPoint(label string, workers int) point {
	size := func(int) string { return "no units" }
	return point{label: label, x: float64(workers), unit: "ms", aside: true, size: size, set: func(int) (task, error) {
		start := func() ([]result[uint64, uint64], error) { return do(nil, nothing, workers, 0), nil }
		return making(start, func(got []result[uint64, uint64]) error {
			if len(got) > 0 {
				return fmt.Errorf("%d results without any units", len(got))
			}
			return nil
		}, milliseconds), nil
	}}
}

// claimedSlope is that of the article, in milliseconds for each goroutine.
func claimedSlope() float64 { return publishedFigures()["A6"][0].Slope }

// slope describes the slope of a line through milliseconds, beside the claim.
func slope(f figures.Fit) string {
	ns := func(v float64) string { return humanize.Format(v, "ms") }
	return fmt.Sprintf("%s (%s to %s), ", ns(f.Slope), ns(f.Low), ns(f.High)) + besideClaim(f)
}

func besideClaim(f figures.Fit) string {
	none := f.Low <= 0 && f.High >= 0
	switch {
	case f.Low > claimedSlope():
		return "more than 500 ns"
	case f.High < claimedSlope() && none:
		return "less than 500 ns, perhaps nothing"
	case f.High < claimedSlope():
		return "less than 500 ns"
	case none:
		return "which agrees with 0 as well as with 500 ns"
	}
	return "which agrees with 500 ns"
}

// countingWorkers returns the numbers of workers of A6. The article tried all up
// to 24, and then ranges up to 100, 180 and 1,000.
func countingWorkers(s scale) []int {
	switch s {
	case quick:
		return numbersOfWorkers(1, 12, 100, 300, 1000)
	case full:
		return numbersOfWorkers(1, 4, 8, 12, 24, 50, 100, 180, 250, 500, 750, 1000)
	}
	ns := oneTo(manyWorkers(runtime.GOMAXPROCS(0)))
	for _, step := range []struct{ to, by int }{{100, 4}, {180, 10}, {1000, 20}} {
		for n := ns[len(ns)-1] + step.by; n <= step.to; n += step.by {
			ns = append(ns, n)
		}
		if ns[len(ns)-1] < step.to {
			ns = append(ns, step.to)
		}
	}
	return ns
}
