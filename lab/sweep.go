package lab

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/lab/figures"
)

// A sweep is what the fixed numbers of a job show.
type sweep struct {
	r        *results
	job      *job
	best     *figures.Point    // with the most throughput
	rivals   [2]*figures.Point // the best by odd and by even rounds
	smallest *figures.Point    // the smallest number within 2 % of that
}

// nearBest is the least part of the best throughput that still counts as the best: the
// smallest such number is the one that matters.
const nearBest = 0.98

// The bars for streams of half a minute.
const (
	barScore = 0.95 // of the best fixed number
	barLimit = 2.0  // times the smallest number within 2 %
	barTime  = 30_000
)

// sweepOf returns what the fixed numbers of a job show. Points are named by the
// job; whether their figures are throughputs or speedups makes no difference.
func (r *results) sweepOf(j *job) sweep {
	label := j.labelOf(fixedAt(1))
	isFixed := func(p *figures.Point) bool { return p.Label == label && !p.Aside }
	w := sweep{r: r, job: j, best: r.bestOf(isFixed)}
	for _, p := range r.of(label) {
		if p.Y >= nearBest*w.best.Y {
			w.smallest = p
			break
		}
	}
	for i := range w.rivals {
		w.rivals[i] = cmp.Or(r.bestOfHalf(1-i, isFixed), w.best) // there may be but one round
	}
	return w
}

// portions is what a point has of the best fixed number in each round. The odd
// rounds choose that number for the even ones, and the other way round, because the best of
// many is also the luckiest.
func (w sweep) portions(p *figures.Point) []float64 {
	var all []float64
	for i, y := range p.Samples {
		if best := w.rivals[i%2]; i < len(best.Samples) {
			all = append(all, y/best.Samples[i])
		}
	}
	return all
}

func (w sweep) portion(p *figures.Point) estimate { return estimateOf(w.portions(p)) }

func (w sweep) point(g governor) *figures.Point { return w.r.at(w.job.labelOf(g), 0) }

// score is the throughput with a governor over that of the best fixed number.
func (w sweep) score(g governor) estimate { return w.portion(w.point(g)) }

// limit is a figure of the limit that a governor chose for a stream.
func (w sweep) limit(g governor, extra string) float64 {
	return w.r.at(w.job.labelOf(g)+", "+extra, 0).Y
}

func (w sweep) fixed() []*figures.Point { return w.r.of(w.job.labelOf(fixedAt(1))) }

// last is the greatest number tried.
func (w sweep) last() *figures.Point {
	ps := w.fixed()
	return ps[len(ps)-1]
}

// among returns the best of the numbers from a on up to b, or nil if none was tried.
func (w sweep) among(a, b float64) *figures.Point {
	var best *figures.Point
	for _, p := range w.fixed() {
		if p.X >= a && p.X <= b && (best == nil || p.Y > best.Y) {
			best = p
		}
	}
	return best
}

// beats says whether the best of some numbers is better than the best of others. It is
// untold if no number of one side was tried.
func (w sweep) beats(a, b *figures.Point, by float64) figures.Effect {
	if a == nil || b == nil {
		return figures.Untold
	}
	return w.r.speedup(a, b).sees(1, by)
}

// more compares the greatest number with the best.
func (w sweep) more() estimate { return w.portion(w.last()) }

// A number is clearly not good if it has less than this part of the best in all rounds.
// It is far below 1 because rounds are few.
const clearly = 0.9

// common returns the numbers whose portion of the best is one of those, in all jobs.
func common(all []sweep, of func(portion estimate) bool) []*figures.Point {
	return slices.DeleteFunc(all[0].fixed(), func(p *figures.Point) bool {
		return slices.ContainsFunc(all, func(w sweep) bool {
			q := w.among(p.X, p.X)
			return q == nil || !of(w.portion(q))
		})
	})
}

// nearest is the number that comes nearest to being good for all jobs, with the part of the
// best that it has in its worst job.
func nearest(all []sweep) (number float64, least sweep, portions []float64) {
	lowest := -1.0
	for _, p := range all[0].fixed() {
		low, at, of := math.Inf(1), all[0], []float64(nil)
		for _, w := range all {
			q := w.among(p.X, p.X)
			if q == nil {
				low = -1
				break
			}
			if s := w.portions(q); slices.Min(s) < low {
				low, at, of = slices.Min(s), w, s
			}
		}
		if low > lowest {
			number, least, portions, lowest = p.X, at, of, low
		}
	}
	return number, least, portions
}

// numbersDiffer says whether the jobs need different numbers: whether two of them have none
// in common that is not clearly worse than the best. That is absent if one number is surely
// near the best in all jobs.
func numbersDiffer(all []sweep) figures.Effect {
	for i, a := range all {
		for _, b := range all[:i] {
			if len(common([]sweep{a, b}, func(e estimate) bool { return e.high >= clearly })) == 0 {
				return figures.Shows
			}
		}
	}
	if len(common(all, func(e estimate) bool { return e.low >= clearly })) > 0 {
		return figures.Absent
	}
	return figures.Untold
}

// words describes the numbers and the governors.
func (w sweep) words() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: best fixed number %g", w.job.name, w.best.X)
	if w.smallest.X != w.best.X {
		fmt.Fprintf(&b, ", smallest within 2 %% of it %g", w.smallest.X)
	}
	if last := w.last(); last != w.best {
		fmt.Fprintf(&b, " (%g at a time: %s of it)", last.X, portion(w.more()))
	}
	for _, g := range governors() {
		limit := w.limit(g, meanLimit)
		fmt.Fprintf(&b, "; %s %s of the best, mean limit %s, %s x that number", g.name, portion(w.score(g)), humanize.Number(limit), humanize.Number(limit/w.smallest.X))
	}
	return b.String()
}

// portion prints an estimate as a fraction.
func portion(e estimate) string {
	return fmt.Sprintf("%s (%s to %s)", humanize.Number(e.y), humanize.Number(e.low), humanize.Number(e.high))
}

// bars says whether ours meets them in all jobs, by medians.
func bars(sweeps []sweep, length int) string {
	var missed []string
	for _, w := range sweeps {
		if s := w.score(ourLaw); s.y < barScore {
			missed = append(missed, fmt.Sprintf("%s: %s of the best", w.job.name, humanize.Number(s.y)))
		}
		if x := w.limit(ourLaw, meanLimit) / w.smallest.X; x > barLimit {
			missed = append(missed, fmt.Sprintf("%s: %s x the number", w.job.name, humanize.Number(x)))
		}
	}
	words := fmt.Sprintf("the bar for ours is at least %g of the best fixed number, with a mean limit of at most %g x the smallest number within 2 %% of it", barScore, barLimit)
	if len(missed) == 0 {
		words += ": met"
	} else {
		words += ": not met in " + strings.Join(missed, ", ")
	}
	if length < barTime {
		words += fmt.Sprintf("; it is meant for streams of %d s, and these take %s s, search included", barTime/1000, humanize.Number(float64(length)/1000))
	}
	return words
}

// undecided names the jobs in which a figure may be above or below a bar, and says how many
// rounds would decide.
func (r *results) undecided(jobs []*job, samples func(j *job) []float64, bar float64) string {
	var open []string
	for _, j := range jobs {
		if s := samples(j); estimateOf(s).above(bar) == figures.Untold {
			open = append(open, fmt.Sprintf("%s (%s in %d; about %s)", j.name, from(s), len(s), humanize.Count(roundsToDecide(s, bar), "rounds")))
		}
	}
	return fewRounds(r) + " It is undecided whether the figure is above " + humanize.Number(bar) + " in " + strings.Join(open, ", ") + "."
}

// fewRounds says why the intervals of streams are wide.
func fewRounds(r *results) string {
	return fmt.Sprintf("Streams take %s each, so rounds are few, and with fewer than 9 an interval holds all samples.", lengthOf(r))
}

func lengthOf(r *results) string {
	return humanize.Number(float64(r.e.size.at(r.scale))/1000) + " s"
}

// worst returns ours where it is furthest behind the best fixed number.
func worst(sweeps []sweep) *figures.Ours {
	w := furthestBehind(sweeps)
	o, e := w.r.answerTo(w.best, w.point(ourLaw)), w.score(ourLaw)
	o.Ratio, o.Low, o.High = e.y, e.low, e.high
	return o
}

func furthestBehind(sweeps []sweep) sweep {
	return slices.MinFunc(sweeps, func(a, b sweep) int { return cmp.Compare(a.score(ourLaw).y, b.score(ourLaw).y) })
}

// shortIn says why ours has less than the best fixed number in the job where it is furthest
// behind. The statements about longer runs are from two CPUs of an AMD EPYC.
func shortIn(jobs func(s scale) []*job) func(*results) string {
	return func(r *results) string {
		w := furthestBehind(each(jobs(r.scale), r.sweepOf))
		words := fmt.Sprintf("Ours is furthest behind in %s, with %s of the best fixed number, %g. ", w.job.name, humanize.Number(w.score(ourLaw).y), w.best.X)
		one, between := w.among(1, 1), w.between()
		switch n := len(between); {
		case n == 0:
			words += "That number is about the CPU count, where ours begins, but ours also tries others. "
		case between[0].Y < one.Y:
			words += fmt.Sprintf("There, more at a time are worse at first, and better at last: %g have %s of the throughput of one. When the law finds less throughput at a higher limit, it turns back. ", between[0].X, humanize.Number(between[0].Y/one.Y))
		default:
			some, more := between[n/3], between[2*n/3]
			words += fmt.Sprintf("That number is far from the CPU count, where ours begins. On the way, %g at a time have %s of its throughput, and %g have %s. ", some.X, humanize.Number(some.Y/w.best.Y), more.X, humanize.Number(more.Y/w.best.Y))
		}
		words += fmt.Sprintf("The law uses most of a stream of %s to measure each step against the noise. ", lengthOf(r))
		if slices.ContainsFunc(searchJobs(), func(j *job) bool { return j.name == w.job.name }) {
			return words + "In streams of 30 s, one of each on two CPUs of an AMD EPYC, ours had 0.90 of the throughput of 2,048 at a time with the scanner, at a median limit of 176. Without the scanner it had 0.83, at a median limit of 6, because it does not get across the flat part."
		}
		return words + "With the article's numbers of blocks under the same memory limit, in one run of each on two CPUs of an AMD EPYC, " +
			"ours had 0.84 of the best of these fixed numbers with 4,096,000 B, 0.53 with 40,960 B, and 0.32 with 409,600 B, where its limit was 1 nearly all the time."
	}
}

// between returns the numbers from the CPU count to half of the best one, the worst first.
func (w sweep) between() []*figures.Point {
	ps := slices.DeleteFunc(w.fixed(), func(p *figures.Point) bool { return p.X < float64(w.r.cpus) || p.X > w.best.X/2 })
	slices.SortFunc(ps, byFigure)
	return ps
}

// sweepsOf judges several jobs, with a sentence for each, and one for the bars.
func (r *results) sweepsOf(jobs []*job) (all []sweep, sentences []string) {
	all = each(jobs, r.sweepOf)
	sentences = each(all, func(w sweep) string { return sentence(w.words()) })
	return all, append(sentences, sentence(bars(all, streamSize.at(r.scale))))
}
