package lab

import (
	"cmp"
	"fmt"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/lab/figures"
)

// handingOver is an experiment of the article about channels, over the CPUs. Ours comes last.
func handingOver(id, unit string, size size, judge func(r *results) verdict, points func() []point) *experiment {
	return &experiment{
		id: id, size: size,
		axis:   cpuAxis,
		points: func(scale) []point { return append(points(), onAll(seqPoint(unit))) },
		judge: func(r *results) verdict {
			v := judge(r)
			v.ours = avoids(r.answer())
			if r.cpus == 1 {
				v.effect = figures.Untold
				v.words = "Go uses a single CPU here" + cmp.Or(v.words, ": there is nothing to compare")
			}
			return v
		},
	}
}

// threads is one of c1 to c3, which hand values over: each in turn, in hundreds, and with a reply to
// each.
func threads(id, label, unit string, size size, points func() []point) *experiment {
	e := handingOver(id, unit, size, func(r *results) verdict { return judgeThreads(r, label) }, points)
	e.untold = func(r *results) string { return untoldThreads(r, label) }
	return e
}

func c1() *experiment {
	const unit = "ns/int"
	return threads("C1", unbuffered, unit, size{100_000, 1_000_000, 1_000_000, "ints"}, func() []point {
		p := handOverPoint(unbuffered, unit, 0)
		timed := p
		timed.shown = true
		return append(append(onOneAndAll(timed), busyPoints(p)...),
			onAll(tiedPoint(unit, "ints", func(n int) int64 { sum, _ := stream(tied, n, 0); return sum })))
	})
}

func c2() *experiment {
	const unit = "ns/int"
	return threads("C2", buffer100, unit, size{400_000, 1_000_000, 1_000_000, "ints"}, func() []point {
		p := handOverPoint(buffer100, unit, 100)
		// By the spread of the six rounds of a full run, ten rounds show which is quicker.
		return append(inRounds(20, onOneAndAll(p)...), busyPoints(p)...)
	})
}

func c3() *experiment {
	const unit = "ns/request"
	return threads("C3", channelOfChannels, unit, size{30_000, 500_000, 1_000_000, "requests"}, func() []point {
		p := replyPoint(unit)
		return append(append(onOneAndAll(p), busyPoints(p)...),
			onAll(tiedPoint(unit, "requests", func(n int) int64 { return replies(tied, n) })))
	})
}

// Two goroutines count as taking turns if they keep fewer CPUs busy than turns times
// those of two independent ones: nearer to a half than to all.
const turns = 0.75

// takeTurns reports whether the goroutines of a label work one at a time although
// another CPU is free, and by which figures.
func takeTurns(r *results, label string) (figures.Effect, string) {
	x := float64(r.cpus)
	busy, two := r.at(busyWith+label, x), r.at(busyWith+independent, x)
	if busy.Low <= 0 || two.Low <= 0 {
		return figures.Untold, "this system does not say how many CPUs are busy"
	}
	s := ratio(busy, two)
	return s.below(turns), fmt.Sprintf("the two goroutines keep %s CPUs busy, %v what two independent ones do", humanize.Number(busy.Y), s)
}

// judgeThreads says what all CPUs do to the hand-overs of a label. The article has
// their times with one thread and with 4.
func judgeThreads(r *results, label string) (v verdict) {
	if r.cpus == 1 {
		return v
	}
	one, all, then := r.at(label, 1), r.at(label, float64(r.cpus)), publishedFigures()[r.e.id]
	s := ratio(all, one)
	v.effect = s.sees(1, slower)
	v.words = fmt.Sprintf("%s: %s with 1 CPU and %s with %d, %v the time; in the article %s x with 4",
		s.beside(1, "more CPUs make it faster", "no clear difference", "more CPUs make it slower"),
		humanize.Format(one.Y, one.Unit), humanize.Format(all.Y, all.Unit), r.cpus, s, humanize.Number(then[1].Y/then[0].Y))
	v.notes = whyThreads(r, label, all)
	return v
}

// whyThreads separates the cost of waking another thread from that of a
// hand-over within one.
func whyThreads(r *results, label string, all *figures.Point) []string {
	alternate, why := takeTurns(r, label)
	if alternate == figures.Shows {
		why += ": they take turns, and a second CPU does little of the work"
	}
	notes := []string{sentence(why)}
	for _, p := range r.of(tiedToThreads) {
		s := ratio(p, all)
		why := fmt.Sprintf("tied to a thread each, so that every hand-over wakes another thread, they take %v as long", s)
		// If they are not tied, at most one in s.y hand-overs can wake another
		// thread.
		if s.low > 2 {
			why += ": that cost is still there, but most hand-overs stay on one thread"
		}
		notes = append(notes, sentence(why))
	}
	return notes
}

// untoldThreads says how far apart the rounds are if it is undecided whether one CPU or all
// are faster.
func untoldThreads(r *results, label string) string {
	if r.cpus == 1 {
		return "It takes two CPUs."
	}
	s := ratios(r.at(label, float64(r.cpus)), r.at(label, 1))
	return fmt.Sprintf("From round to round, all CPUs took %s times as long as one. With that spread it takes about %s to decide. "+
		"The scheduler decides in each run how often the two goroutines share a CPU, and a hand-over to another CPU takes longer than one within a CPU.",
		from(s), r.roundsTake(roundsToDecide(s, 1), len(s)))
}
