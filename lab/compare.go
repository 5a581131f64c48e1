package lab

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/lab/figures"
)

type compareOptions struct {
	rounds int
	length time.Duration
}

func compareCommand() *cobra.Command {
	o := &compareOptions{length: time.Minute}
	c := &cobra.Command{
		Use:   "compare ID POINT POINT",
		Short: "Measure two points of an experiment in turn, and compare them",
		Long: `compare measures two points of an experiment in turn, each time in a fresh process,
and prints the ratio of their figures with its interval. A run of everything spends
some minutes on all points of an experiment; here two points have them to themselves,
so that smaller differences show.

A point is a label, and after a slash its place on the axis of the experiment. If you
name no points, an error lists them.`,
		Example: `  sweetspot lab compare A3 Do/24 Do/2 --for 3m
  sweetspot lab compare E6 "search: ours" "search: fixed number/2048" --rounds 6`,
	}
	ofPair(c, o.execute)
	f := c.Flags()
	f.IntVar(&o.rounds, "rounds", 0, "measure each point `N` times (default as often as --for allows)")
	f.Var((*humanize.Time)(&o.length), "for", "begin no round after `TIME`")
	c.MarkFlagsMutuallyExclusive("rounds", "for")
	return c
}

func (o *compareOptions) execute(ctx context.Context, e *experiment, s scale, names []string, out, errOut io.Writer) error {
	r := &runner{scale: s, rounds: o.rounds, progress: progressTo(errOut)}
	if r.progress.line == nil {
		r.progress = nil // rounds are short, and a line for each is too much
	}
	points := slices.DeleteFunc(e.points(s), func(p point) bool { return p.extra != "" || p.per != "" })
	pair, err := r.pairOf(e, points, names)
	if err != nil {
		return err
	}
	if err := r.inTurn(ctx, pair, o.length); err != nil {
		return err
	}
	return printPair(out, e, pair)
}

func (r *runner) pairOf(e *experiment, points []point, names []string) (pair [2]*subject, err error) {
	if len(names) != len(pair) {
		return pair, fmt.Errorf("experiment %s: want two points to compare, not %d: it has %s", e.id, len(names), namesOf(points))
	}
	for i, name := range names {
		if pair[i], err = r.subject(e, points, name); err != nil {
			return pair, err
		}
	}
	if pair[0].p.name() == pair[1].p.name() {
		return pair, fmt.Errorf("both points are %s: want two different ones", names[0])
	}
	return pair, nil
}

// subject returns the point of that name, which may leave out a place of 0.
func (r *runner) subject(e *experiment, points []point, name string) (*subject, error) {
	i := slices.IndexFunc(points, func(p point) bool { return p.name() == name || p.name() == name+"/0" })
	if i < 0 {
		return nil, fmt.Errorf("experiment %s has no point %q to measure at size %s: it has %s", e.id, name, r.scale, namesOf(points))
	}
	return r.subjectOf(e, points[i]), nil
}

func namesOf(points []point) string {
	return strings.Join(each(points, func(p point) string { return strings.TrimSuffix(p.name(), "/0") }), "; ")
}

// inTurn measures both points once in each round. Their order changes, so that a
// drift favours neither.
func (r *runner) inTurn(ctx context.Context, pair [2]*subject, length time.Duration) error {
	defer r.progress.clear()
	began := time.Now()
	for round := 0; round == 0 || r.rounds == 0 && time.Since(began) < length || round < r.rounds; round++ {
		order := []*subject{pair[round%2], pair[1-round%2]}
		for i, s := range order {
			r.progress.show(round, max(r.rounds, round+1), i, 0, order)
			err := r.sample(ctx, s)
			if ctx.Err() != nil {
				return fmt.Errorf("stopped in round %d: %w", round+1, context.Cause(ctx))
			}
			if err != nil {
				return fmt.Errorf("%s: %w", s.p.name(), err)
			}
		}
	}
	return nil
}

func printPair(out io.Writer, e *experiment, pair [2]*subject) error {
	var b strings.Builder
	var ps [2]figures.Point
	for i, s := range pair {
		ps[i] = figures.Point{Samples: s.samples}
		y := estimateOf(s.samples)
		unit := humanize.UnitFor(s.p.unit, y.y)
		fmt.Fprintf(&b, "%s: %s %s (%s to %s)\n", nameAt(e, s.p.label, s.p.x), unit.Number(y.y), unit.Name, unit.Number(y.low), unit.Number(y.high))
	}
	// A ratio near 1 takes more digits than other figures.
	times := ratio(&ps[0], &ps[1])
	fmt.Fprintf(&b, "the first is %.4f x the second (%.4f to %.4f), %s, %s\n", times.y, times.low, times.high,
		humanize.Count(len(ps[0].Samples), "rounds"), e.size.describe(pair[0].n))
	_, err := io.WriteString(out, b.String())
	return err
}
