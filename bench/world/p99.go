package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/bench/internal/machine"
	"github.com/sweetspot-go/sweetspot/bench/internal/stats"
	"github.com/sweetspot-go/sweetspot/control"
)

const (
	// sweepFor is how long the first look at each fixed number takes.
	sweepFor = 2 * time.Second
	// kneeDoes is the part of the highest rate that the knee of a curve has.
	kneeDoes = 0.9
	// settles is how long MaxP99 may look for its limit before its windows count.
	settles = 10 * time.Second
	// mustHold is the share of the windows in which a p99 holds that is kept.
	mustHold = 0.95
)

// A bound is how a p99 is kept by the fixed numbers that can come closest to it, and by
// MaxP99.
type bound struct {
	work  string
	times float64 // the p99 of the knee
	p99   time.Duration
	fixed []kept
	auto  kept
}

// A kept p99 is in how many of the seconds of a run it holds, and with how much done.
type kept struct {
	n     float64 // the mean limit
	held  float64
	rate  float64
	p99   time.Duration // of all units
	spans int           // seconds
}

// measureBounds measures what MaxP99 does for a work: at first a short look at each fixed number,
// which says where the knee is, and so which p99 to ask for; then, for each p99, the fixed
// numbers that matter, MaxP99 from a cold start, and the same numbers again.
func (b *bench) measureBounds(ctx context.Context, w work, u unit) error {
	var sweep []kept
	for _, n := range b.numbersOf(w) {
		c, _, err := timed(ctx, w, u, fixedAt(n), sweepFor)
		if err != nil {
			return err
		}
		sweep = append(sweep, b.say(w, kept{n: float64(n), rate: c.rate(), p99: c.p99(), spans: len(c), held: math.NaN()}))
	}
	knee := kneeOf(sweep)
	fmt.Fprintf(b.log, "%-9s the knee is at %.0f, with a p99 of %v\n", w.name, knee.n, knee.p99)
	for _, times := range b.p99 {
		a := bound{work: w.name, times: times, p99: twoDigits(times * knee.p99.Seconds())}
		if err := b.bound(ctx, w, u, &a, contenders(sweep, a.p99)); err != nil {
			return err
		}
		b.kept = append(b.kept, a)
	}
	return nil
}

func (b *bench) bound(ctx context.Context, w work, u unit, a *bound, numbers []int) error {
	courses := make([]course, len(numbers))
	fixed := func() error {
		for i, n := range numbers {
			c, _, err := timed(ctx, w, u, fixedAt(n), b.fixed)
			if err != nil {
				return err
			}
			courses[i] = append(courses[i], c...)
		}
		return nil
	}
	if err := fixed(); err != nil {
		return err
	}
	law, err := control.ByName(b.law)
	if err != nil {
		return err
	}
	l := newLimiter(sweetspot.Controller(law), sweetspot.MaxP99(a.p99))
	c, looks, err := timed(ctx, w, u, l, b.auto)
	if err != nil {
		return err
	}
	from := settles.Seconds()
	a.auto = judgeCourse(looks.limit(from, looks.seconds()), c[int(from):], a.p99)
	if b.verbose {
		for i, second := range c {
			one := course{second}
			fmt.Fprintf(b.log, "%8d s  limit %5.1f  %8s/s  p99 %v\n", i, looks.limit(float64(i), float64(i+1)), stats.FormatRate(one.rate()), one.p99())
		}
		b.logDecisions(l)
	}
	if err := fixed(); err != nil {
		return err
	}
	fmt.Fprintf(b.log, "%-9s p99 <= %v:\n", w.name, a.p99)
	for i, n := range numbers {
		a.fixed = append(a.fixed, b.say(w, judgeCourse(float64(n), courses[i], a.p99)))
	}
	b.say(w, a.auto)
	return nil
}

func fixedAt(n int) *sweetspot.Limiter {
	l := newLimiter()
	l.SetLimit(n)
	return l
}

// timed lets a work run through l for a time.
func timed(ctx context.Context, w work, u unit, l *sweetspot.Limiter, length time.Duration) (course, trace, error) {
	s := newStopwatch(length)
	runtime.GC() // the garbage of the run before is not this one's
	s.began = time.Now()
	looks, err := measure(ctx, l, w.callers, s.timing(u), length)
	return s.took, looks, err
}

func judgeCourse(n float64, c course, p99 time.Duration) kept {
	return kept{n: n, held: c.held(p99), rate: c.rate(), p99: c.p99(), spans: len(c)}
}

func (b *bench) say(w work, k kept) kept {
	fmt.Fprintf(b.log, "%-9s %6.1f  %9s/s  p99 %9v", w.name, k.n, stats.FormatRate(k.rate), k.p99.Round(10*time.Microsecond))
	if !math.IsNaN(k.held) {
		fmt.Fprintf(b.log, "  held %3.0f %% of %d s", 100*k.held, k.spans)
	}
	fmt.Fprintln(b.log)
	return k
}

// kneeOf returns the least number that does nearly as much as any.
func kneeOf(sweep []kept) kept {
	best := slices.MaxFunc(sweep, func(a, b kept) int { return cmp.Compare(a.rate, b.rate) })
	return sweep[slices.IndexFunc(sweep, func(k kept) bool { return k.rate >= kneeDoes*best.rate })]
}

func twoDigits(s float64) time.Duration {
	unit := math.Pow(10, math.Floor(math.Log10(s))-1)
	return time.Duration(math.Round(s/unit) * unit * float64(time.Second))
}

const mostContenders = 4

// contenders returns the numbers of which one is about the best with a p99: the highest
// of the sweep that kept it, the two below, since a p99 kept over all holds in half of the
// windows, and one between it and the next.
func contenders(sweep []kept, p99 time.Duration) []int {
	at := 0
	for i, k := range sweep {
		if k.p99 <= p99 {
			at = i
		}
	}
	n := int(sweep[at].n)
	numbers := []int{int(sweep[max(at-2, 0)].n), int(sweep[max(at-1, 0)].n), n}
	if at+1 < len(sweep) {
		numbers = append(numbers, int(math.Round(math.Sqrt(sweep[at].n*sweep[at+1].n))))
	}
	return slices.Compact(numbers)
}

// best returns the fixed number with the highest rate among those that kept the p99: or,
// if none did, among those that held it most often.
func (a *bound) best() kept {
	best := slices.MaxFunc(a.fixed, func(x, y kept) int { return cmp.Compare(x.held, y.held) })
	enough := min(mustHold, best.held)
	for _, k := range a.fixed {
		if k.held >= enough && k.rate > best.rate {
			best = k
		}
	}
	return best
}

// reportBounds writes a table of what was measured with -p99.
func (b *bench) reportBounds(out io.Writer) {
	if len(b.kept) == 0 {
		return
	}
	fmt.Fprintf(out, "\n%s; law %s; windows of 1 s: %.0f of MaxP99, after %v, and %.0f of each fixed number\n\n",
		machine.Describe(), b.law, (b.auto - settles).Seconds(), settles, 2*b.fixed.Seconds())
	fmt.Fprintf(out, "| work | p99 at most | times that of the knee | best fixed | holds in | units/s | limit of MaxP99 | holds in | of the best |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, a := range b.kept {
		best := a.best()
		fmt.Fprintf(out, "| %s | %v | %.2g | %.0f | %.0f %% | %s | %.1f | %.0f %% | %.2f |\n", a.work, a.p99, a.times,
			best.n, 100*best.held, stats.FormatRate(best.rate), a.auto.n, 100*a.auto.held, a.auto.rate/best.rate)
	}
}
