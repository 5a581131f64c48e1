package lab

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"

	"golang.org/x/perf/benchmath"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/lab/figures"
)

const (
	methodPlain   = "each once"
	methodArticle = "3 times 3, averages"
	methodLab     = "fresh processes in turn, medians"
	methodSubject = "the point"
)

// methodWorkers is the first of the numbers that the article compared.
const methodWorkers = 12

// methodTimes is how often the article repeated a point, and all of them.
const methodTimes = 3

// a7 compares ways to measure, by a question whose answer is known: how much
// longer a point takes than itself.
func a7() *experiment {
	return &experiment{
		id: "A7", size: size{80, 250, 3000, "units of 10,000 hashes"},
		points: func(s scale) []point {
			return []point{
				methodPoint(methodPlain, true, 2, errorOf(1)),
				methodPoint(methodArticle, false, 2*methodTimes*methodTimes, errorOf(methodTimes)),
				methodPoint(methodLab, false, 2*methodTimes*runsMost, func(n int) (float64, error) { return errorOfLab(s, n) }).asOurs(),
				compared(),
			}
		},
		judge: func(r *results) verdict {
			plain, article, ours := r.at(methodPlain, 0), r.at(methodArticle, 0), r.at(methodLab, 0)
			better := differs(plain, article)
			effect := figures.Untold
			if better {
				effect = whether(article.Y < plain.Y)
			}
			words := says(effect, "the article's way is better than one run of each",
				"the article's way is worse than one run of each",
				"the samples do not decide whether the article's way is better than one run of each")
			words += fmt.Sprintf(": two equal points seem to differ by %s instead of %s", percent(article), percent(plain))
			note := "The lab's way: " + percent(ours)
			switch {
			case !differs(article, ours):
				note += ", no clear difference from the article's."
			case ours.Y < article.Y:
				note += ", less than the article's."
			default:
				note += ", more than the article's."
			}
			return verdict{words: words, effect: effect, notes: []string{note}}
		},
		untold: func(r *results) string {
			plain, article := r.at(methodPlain, 0).Samples, r.at(methodArticle, 0).Samples
			often := "The errors of the two ways are so alike that no number of rounds can be estimated"
			if n := roundsToDiffer(plain, article); n > 0 {
				often = "If the two ways differ as much as these samples do, it takes about " + r.roundsTake(n, len(plain)) + " to find that four times in five"
			}
			return fmt.Sprintf("An error is a single difference of two equal points, so it scatters more than any other figure: %s %% with one run of each, %s %% with the article's way. %s. "+
				"The article's way rarely errs by much, and one run of each sometimes does, but their medians, which are compared, are close.", from(plain), from(article), often)
		},
	}
}

// compared is the point that is compared with itself.
func compared() point {
	return doPoint(methodSubject, numberUnits, methodWorkers, wholeBuffer).at(0).asAside()
}

func percent(p *figures.Point) string {
	return fmt.Sprintf("%s %% (%s to %s)", humanize.Number(p.Y), humanize.Number(p.Low), humanize.Number(p.High))
}

// differs says whether the samples of two points differ, by their ranks, as
// benchstat does: single errors are too scattered for ratios of them.
func differs(a, b *figures.Point) bool {
	sample := func(p *figures.Point) *benchmath.Sample {
		return benchmath.NewSample(slices.Clone(p.Samples), &benchmath.DefaultThresholds)
	}
	c := benchmath.AssumeNothing.Compare(sample(a), sample(b))
	return c.P < 1-confidence
}

// methodPoint measures the error of a method that takes the given number of runs,
// in percent; cold leaves out the load before.
func methodPoint(label string, cold bool, runs int, wrong func(n int) (float64, error)) point {
	size := func(n int) string { return fmt.Sprintf("%d runs of %s", runs, humanize.Count(n, "units")) }
	return point{label: label, unit: "%", size: size, set: func(n int) (task, error) {
		t := valued(func() (float64, error) { return wrong(n) })
		t.cold = cold
		return t, nil
	}}
}

// errorBetween returns how far two times that should be equal differ, in percent.
// It is never 0, because ratios of it are formed, and no clock is that exact.
func errorBetween(a, b float64) float64 {
	const least = 1e-4
	return max(least, 100*math.Abs(b/a-1))
}

// errorOf runs each of the two points the given number of times, and repeats all of that as
// often, each time after a load. With a number of 1 there is one run of each, without a load.
func errorOf(times int) func(n int) (float64, error) {
	return func(n int) (float64, error) {
		t, err := compared().set(n)
		if err != nil {
			return 0, err
		}
		var sums [2]float64
		for range times {
			if times > 1 {
				warm(warmUp)
			}
			for i := range sums {
				for range times {
					took, err := t.single()
					if err != nil {
						return 0, err
					}
					sums[i] += took.Seconds()
				}
			}
		}
		return errorBetween(sums[0], sums[1]), nil
	}
}

// errorOfLab measures as a runner does, in methodTimes rounds. That makes as
// many runs as the article had, because each sample is of three.
func errorOfLab(s scale, n int) (float64, error) {
	var samples [2][]float64
	for range methodTimes {
		for i := range samples {
			sample, err := sampleOfCompared(s, n)
			if err != nil {
				return 0, err
			}
			samples[i] = append(samples[i], sample)
		}
	}
	e := ratio(&figures.Point{Samples: samples[1]}, &figures.Point{Samples: samples[0]})
	return errorBetween(1, e.y), nil
}

// sampleOfCompared measures the point once more in a process of its own. The
// process ends with this one: see child.
func sampleOfCompared(s scale, n int) (float64, error) {
	p := compared()
	p.cpus = runtime.GOMAXPROCS(0)
	again := &subject{e: &experiment{id: "A7"}, p: p, n: n}
	if err := (&runner{scale: s}).sample(context.Background(), again); err != nil {
		return 0, err
	}
	return again.samples[0], nil
}
