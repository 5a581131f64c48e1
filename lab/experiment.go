package lab

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/lab/figures"
)

type experiment struct {
	id string
	text
	size   size
	axis   figures.Axis
	better string // which figures are: higher, or lower if it is empty

	// points returns what is measured. Those of a label follow each other by x.
	points func(s scale) []point
	// inFull returns what else there is to show, which takes long: quick leaves it out.
	inFull func(r *runner, ctx context.Context) (string, error)
	// judge says what the figures mean. It is called when all points have them.
	judge func(r *results) verdict
	// untold says why its claim is undecided, and short why ours has less than 0.97 of the
	// best variant. Both are called only in these cases, and nil if no reason is known.
	untold, short func(r *results) string
}

const (
	lower  = "lower"
	higher = "higher"
)

type scale int

const (
	quick scale = iota // all experiments within some minutes
	full               // within an hour
	asArticle
)

func (s scale) String() string { return by(s, "quick", "full", "article") }

// by picks the value for a scale.
func by[T any](s scale, quick, full, article T) T { return [...]T{quick, full, article}[s] }

func scaleNamed(name string) (scale, error) {
	for _, s := range []scale{quick, full, asArticle} {
		if s.String() == name {
			return s, nil
		}
	}
	return 0, fmt.Errorf("--size is %q, want quick, full or article", name)
}

// A size is how much work a point does at each scale.
type size struct {
	quick, full, article int
	of                   string // what is counted, as in "units of 10,000 hashes"
}

func (s size) at(c scale) int { return by(c, s.quick, s.full, s.article) }

func (s size) describe(n int) string { return humanize.Count(n, s.of) }

type point struct {
	label string
	x     float64
	unit  string // of the figure
	cpus  int    // GOMAXPROCS of its process; 0 for all
	ours  bool
	aside bool // not of the experiment's own measure
	env   []string
	// size says how much work it does when the experiment has n; nil if it does
	// the same.
	size  func(n int) string
	panel string // the picture, where an experiment has several
	// sweep, if set, names the sweep that the point belongs to. Its points follow each
	// other by x, and once their figures have fallen no more of them are measured.
	sweep string
	// from, if set, names what is measured. Points of the same name, in whichever
	// experiments, share their samples: the first of them is measured.
	from string
	// extra picks a figure that the run shows beside its own; that is then the
	// sample.
	extra string
	// per names the measurement that this one's is divided by, within rounds.
	per string
	// shown adds what the last run showed over time, and over parameters; shownBoth what
	// the best and the worst did.
	shown, shownBoth bool
	// set prepares the point in the process that measures it. n is how much work
	// there is.
	set func(n int) (task, error)
	// certain is set where the figure is the same each time: it is measured once.
	certain bool
	// rounds is the number of its rounds; 0 means that of the run. It is fixed before
	// anything is measured.
	rounds int
	// seeded computes the figure if it depends on a seed alone: see bySeed.
	seeded func(seed uint64) (float64, error)
}

// inRounds gives points a number of rounds of their own.
func inRounds(n int, ps ...point) []point {
	for i := range ps {
		ps[i].rounds = n
	}
	return ps
}

// showing returns a point beside the experiment's own measure: the figure of that name
// that the run of p shows beside its own.
func (p point) showing(label, unit, extra string) point {
	p.label, p.unit, p.aside, p.extra = label, unit, true, extra
	return p
}

// with returns p with a change of its task, for n units of work.
func (p point) with(change func(t *task, n int)) point {
	set := p.set
	p.set = func(n int) (task, error) {
		t, err := set(n)
		if err == nil {
			change(&t, n)
		}
		return t, err
	}
	return p
}

// at is p at a place on the axis.
func (p point) at(x float64) point { p.x = x; return p }

// asOurs is p as the answer of this library.
func (p point) asOurs() point { p.ours = true; return p }

// asAside is p beside the experiment's own measure.
func (p point) asAside() point { p.aside = true; return p }

// name distinguishes a point from the others of its experiment.
func (p *point) name() string { return fmt.Sprintf("%s/%g", p.label, p.x) }

// A task is a point that is ready to be measured.
type task struct {
	before func() error // before each run, untimed
	run    func() error // what is timed
	check  func() error // after each run, untimed: whether it did its work
	// figure turns the time of a run into the figure; nil means seconds.
	figure func(took time.Duration) float64
	// once is set where runs cannot be repeated in a process, or the figure is not
	// of single runs.
	once bool
	// cold leaves out the load before.
	cold bool
	// aside returns what else the last run showed; nil is nothing.
	aside func() aside
	close func() error
}

// perOp returns the figure of n operations in nanoseconds each.
func perOp(n int) func(time.Duration) float64 {
	return func(took time.Duration) float64 { return float64(took.Nanoseconds()) / float64(n) }
}

// perSecond returns the figure of n operations as operations per second.
func perSecond(n int) func(time.Duration) float64 {
	return func(took time.Duration) float64 { return float64(n) / took.Seconds() }
}

// making is the task of a function that makes something, which check examines. What a run has
// made is dropped before the next run.
func making[R any](run func() (R, error), check func(made R) error, figure func(time.Duration) float64) task {
	var made, none R
	return task{
		before: func() error { made = none; return nil },
		run: func() (err error) {
			made, err = run()
			return err
		},
		check:  func() error { return check(made) },
		figure: figure,
	}
}

// valued is an untimed task: its figure is what f returns.
func valued(f func() (float64, error)) task {
	var y float64
	return task{
		once: true, cold: true,
		run: func() (err error) {
			y, err = f()
			return err
		},
		figure: func(time.Duration) float64 { return y },
	}
}

// valuedBeside is valued for an f that returns another figure, too, which is called
// extra.
func valuedBeside(extra string, f func() (y, beside float64, err error)) task {
	var beside float64
	t := valued(func() (y float64, err error) {
		y, beside, err = f()
		return y, err
	})
	t.aside = func() aside { return aside{Extra: map[string]float64{extra: beside}} }
	return t
}

// countPoint counts something, beside the measure of its experiment.
func countPoint(label, unit string, count func() (int, error)) point {
	return point{label: label, unit: unit, aside: true, set: func(int) (task, error) {
		return valued(func() (float64, error) {
			n, err := count()
			return float64(n), err
		}), nil
	}}
}

type verdict struct {
	words  string
	effect figures.Effect
	ours   *figures.Ours
	fits   []figures.Fit
	heat   []figures.Heat // beside what points have shown
	notes  []string
}

// each returns what f makes of all of them.
func each[T, R any](all []T, f func(T) R) []R {
	made := make([]R, len(all))
	for i, v := range all {
		made[i] = f(v)
	}
	return made
}

// concat returns what f makes of all of them, several of each, one after the other.
func concat[T, R any](all []T, f func(T) []R) []R { return slices.Concat(each(all, f)...) }
