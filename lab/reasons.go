package lab

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/lab/figures"
)

// explain sets the reasons why the claim of an experiment is undecided and why ours falls
// short, where that is so. The causes were found on two CPUs of an AMD EPYC; the
// figures are those at hand. If figures of another version lack a point, the text says so.
func (e *experiment) explain(x *figures.Experiment, r *results) {
	defer func() {
		if p := recover(); p != nil {
			x.Further = fmt.Sprintf("What is known of its causes does not fit these figures: %v.", p)
		}
	}()
	r.seconds = x.Seconds
	x.WhyUntold, x.WhyShort, x.Further = "", "", e.further
	if x.Effect == figures.Untold && e.untold != nil {
		x.WhyUntold = e.untold(r)
	}
	switch o := x.Ours; {
	case o == nil || !o.Short():
	case e.short != nil:
		x.WhyShort = e.short(r)
	case o.Standing() == figures.Level:
		x.WhyShort = fmt.Sprintf("It is undecided whether ours has less: it has between %s and %s of the best.",
			humanize.Number(o.Low), humanize.Number(o.High))
	}
}

// explainAll does that for figures from a file, which may be older than what is known about
// the causes.
func explainAll(f *figures.File) {
	for i := range f.Experiments {
		x := &f.Experiments[i]
		s, err := scaleNamed(f.Run.Scale)
		if e := find(x.ID); e != nil && err == nil && x.Error == "" {
			e.explain(x, &results{e: e, points: x.Points, scale: s, cpus: f.Machine.CPUs})
		}
	}
}

// always returns a text that needs no figures.
func always(text string) func(*results) string { return func(*results) string { return text } }

// toTell says how many rounds it takes to know the median of such samples to ± width, and
// how long these rounds last.
func (r *results) toTell(samples []float64, width float64) string {
	return r.roundsTake(roundsToTell(samples, width), len(samples))
}

func (r *results) roundsTake(rounds, had int) string {
	words := humanize.Count(rounds, "rounds")
	if had == 0 {
		return words
	}
	if took := time.Duration(r.seconds / float64(had) * float64(rounds) * 1e9).Round(time.Minute); took > 0 {
		words += fmt.Sprintf(" (%s for this row)", strings.TrimSuffix(took.String(), "0s"))
	}
	return words
}

// roundsToTell is how many samples it takes for an interval of at most ± width around the
// median, if the spread stays the same.
func roundsToTell(samples []float64, width float64) int {
	return roundsFor(normal95, samples, width)
}

// roundsToDecide is how many samples it takes for an interval that excludes the bar four times
// in five.
func roundsToDecide(samples []float64, bar float64) int {
	return roundsFor(normal95+normal80, samples, math.Abs(estimateOf(samples).y-bar))
}

// roundsFor uses the standard error of a median, which is sqrt(pi/2) times that of a mean:
// width is that many standard errors.
func roundsFor(times float64, samples []float64, width float64) int {
	if width <= 0 {
		return enoughRounds
	}
	half := times * math.Sqrt(math.Pi/2) * standardDeviation(samples) / width
	return max(enoughRounds, int(math.Ceil(half*half)))
}

const (
	normal95 = 1.96 // quantiles of the normal distribution: for 95 %, two-sided
	normal80 = 0.84 // and for 80 %, one-sided
)

// roundsToDiffer is how many samples of each of two points the rank test takes to find
// them different four times in five, if each is larger than the other as often as in
// these samples (Noether 1987). It is 0 if neither is larger more often.
func roundsToDiffer(a, b []float64) int {
	larger := 0.0
	for _, x := range a {
		for _, y := range b {
			switch {
			case x > y:
				larger++
			case x == y:
				larger += 0.5
			}
		}
	}
	off := larger/float64(len(a)*len(b)) - 0.5
	if off == 0 {
		return 0
	}
	z := normal95 + normal80
	return max(enoughRounds, int(math.Ceil(z*z/(6*off*off))))
}

// from is the span of samples in words.
func from(samples []float64) string {
	return humanize.Number(slices.Min(samples)) + " to " + humanize.Number(slices.Max(samples))
}
