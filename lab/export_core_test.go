package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/internal/statusline"
	"github.com/sweetspot-go/sweetspot/lab/figures"
)

// What the tests of the core see of it, and small experiments to run with it.

// smallOnes have the letter S where they work, and T where something is wrong with
// them.
var smallOnes = []*experiment{
	small("S1", spinPoint("spin", false), spinPoint("ours", true)),
	small("S2",
		valuePoint("GOMAXPROCS", 1, nil, func() float64 { return float64(runtime.GOMAXPROCS(0)) }),
		valuePoint("GOGC", 0, nil, func() float64 { return float64(debug.SetGCPercent(100)) }),
		valuePoint("env", 0, []string{"LAB_TEST_VALUE=42", "GOGC=77"}, func() float64 {
			v, _ := strconv.ParseFloat(os.Getenv("LAB_TEST_VALUE")+os.Getenv("GOGC"), 64)
			return v
		})),
	small("S3", halved(valuePoint("place", 0, nil, func() float64 { return 1 })), spinPoint("ours", true)).over("workers", 2, 0),
	small("T1", spinPoint("fine", false), brokenPoint("wrong result", task{check: func() error { return errors.New("2 + 2 is 5") }})),
	small("T2", brokenPoint("hangs", task{before: sayPID, run: func() error { time.Sleep(time.Hour); return nil }})),
	small("T0", brokenPoint("has one of its own that hangs", task{run: func() error {
		hangs := point{label: "hangs", cpus: runtime.GOMAXPROCS(0)}
		return (&runner{scale: quick}).sample(context.Background(), &subject{e: &experiment{id: "T2"}, p: hangs, n: 1})
	}})),
	small("T3", brokenPoint("panics", task{run: func() error { panic("out of cheese") }})),
	small("T4", brokenPoint("no number", task{figure: func(time.Duration) float64 { return math.NaN() }})),
	small("T5", point{label: "not ready", set: func(int) (task, error) { return task{}, errors.New("no such device") }}),
	small("T6", brokenPoint("does not end well", task{close: func() error { return errors.New("a server is left") }})),
	small("T7", spinPoint("fine", false)).judgedBy(func(r *results) verdict { return verdict{words: r.at("missing", 3).Label} }),
	small("T8", spinPoint("fine", false)).judgedBy(func(r *results) verdict {
		return verdict{words: "odd", effect: figures.Absent, ours: &figures.Ours{Ratio: math.Inf(1)}}
	}),
	small("T9", spinPoint("fine", false)).judgedBy(func(*results) verdict { return verdict{} }),
}

func small(id string, points ...point) *experiment {
	return &experiment{
		id: id, text: text{title: "Small " + id, article: "No article", about: "It is small.", claim: "none"},
		size: size{20_000, 40_000, 80_000, "turns"}, better: lower,
		points: func(scale) []point { return points },
		judge: func(r *results) verdict {
			v := verdict{words: fmt.Sprintf("%d points", len(r.points)), effect: figures.Shows}
			if slices.ContainsFunc(r.points, func(p figures.Point) bool { return p.Ours }) {
				v.ours = r.answer()
			}
			return v
		},
	}
}

func (e *experiment) over(axis string, xs ...float64) *experiment {
	e.axis.Name = axis
	points := e.points(quick)
	for i := range points {
		points[i].x = xs[i]
	}
	return e
}

func (e *experiment) judgedBy(judge func(*results) verdict) *experiment {
	e.judge = judge
	return e
}

// spinPoint is work that takes time.
func spinPoint(label string, ours bool) point {
	return point{label: label, unit: "ms", ours: ours, set: func(n int) (task, error) {
		sum := uint64(0)
		return task{
			run: func() error {
				for i := range uint64(n) {
					sum = sum*6364136223846793005 + i
				}
				return nil
			},
			check: func() error {
				if sum == 0 {
					return errors.New("nothing was computed")
				}
				return nil
			},
			figure: func(took time.Duration) float64 { return took.Seconds() * 1e3 },
		}, nil
	}}
}

// valuePoint measures a value.
func valuePoint(label string, cpus int, env []string, value func() float64) point {
	return point{label: label, cpus: cpus, env: env, set: func(int) (task, error) {
		return task{run: func() error { return nil }, figure: func(time.Duration) float64 { return value() }, once: true}, nil
	}}
}

// halved is p with half the work, as it says.
func halved(p point) point {
	p.size = func(n int) string { return humanize.Count(n/2, "turns") }
	return p
}

func brokenPoint(label string, t task) point {
	if t.run == nil {
		t.run = func() error { return nil }
	}
	t.once = true
	return point{label: label, unit: "ms", set: func(int) (task, error) { return t, nil }}
}

// sayPID writes this process's ID to the file that a test has named.
func sayPID() error {
	file := os.Getenv("LAB_TEST_PID")
	if file == "" {
		return nil
	}
	if err := os.WriteFile(file+".new", []byte(strconv.Itoa(os.Getpid())), 0o600); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}

// AddSmall adds the small experiments to the others, for processes that measure.
func AddSmall() { use(slices.Concat(experiments(), smallOnes)) }

func use(list []*experiment) {
	experiments = func() []*experiment { return list }
}

// OnlySmall leaves only the small experiments until restore is called.
func OnlySmall() (restore func()) {
	before := experiments
	use(smallOnes)
	return func() { experiments = before }
}

// IDs returns those of all experiments, in order.
func IDs() []string {
	var s []string
	for _, e := range experiments() {
		s = append(s, e.id)
	}
	return s
}

// Choose returns the IDs of those that are named.
func Choose(names ...string) ([]string, error) {
	chosen, err := choose(names)
	var s []string
	for _, e := range chosen {
		s = append(s, e.id)
	}
	return s, err
}

// A Runner measures with the test program.
type Runner struct {
	Rounds   int
	Patience time.Duration // 0 is that of the command
	Size     int           // of the work; 0 is that of the experiment
	Progress io.Writer
	ForAll   bool // as by hand
	// Only, if set, picks the points by their label and place.
	Only func(label string, x float64) bool
}

func (r Runner) Measure(ctx context.Context, names ...string) (*figures.File, error) {
	chosen, err := choose(names)
	if err != nil {
		return nil, err
	}
	if r.Patience > 0 {
		defer func(before time.Duration) { longest = before }(longest)
		longest = r.Patience
	}
	if r.Size > 0 {
		for i, e := range chosen {
			some := *e
			some.size.quick = r.Size
			chosen[i] = &some
		}
	}
	if r.Only != nil {
		for i, e := range chosen {
			some := *e
			some.points = func(s scale) []point {
				return slices.DeleteFunc(slices.Clone(e.points(s)), func(p point) bool { return !r.Only(p.label, p.x) })
			}
			some.judge = func(*results) verdict { return verdict{words: "not judged", effect: figures.Baseline} }
			chosen[i] = &some
		}
	}
	var p *progress
	if r.Progress != nil {
		p = &progress{w: r.Progress}
	}
	return (&runner{
		chosen: chosen, scale: quick, rounds: r.Rounds, progress: p, forAll: r.ForAll,
	}).measure(ctx)
}

// An Estimate is a median and its interval.
type Estimate struct{ Y, Low, High float64 }

func exported(e estimate) Estimate { return Estimate{e.y, e.low, e.high} }

func EstimateOf(samples []float64) Estimate { return exported(estimateOf(samples)) }

func Ratio(a, b *figures.Point) Estimate { return exported(ratio(a, b)) }

// Answer compares the best of ours with the best of the others.
func Answer(better, axis string, points []figures.Point) *figures.Ours {
	r := &results{e: &experiment{better: better, axis: figures.Axis{Name: axis}}, points: points}
	return r.answer()
}

// Told writes what is told of a run: three samples in two rounds, of which each
// took a second. No columns are no terminal.
func Told(w io.Writer, columns int) {
	p := &progress{w: w}
	if columns > 0 {
		p.line = statusline.New(w, func() (int, error) { return columns, nil })
	}
	e := small("S1")
	var subjects []*subject
	for _, label := range []string{"a rather long label", "short", "mid"} {
		subjects = append(subjects, &subject{e: e, p: point{label: label}})
	}
	for round := range 2 {
		for i, s := range subjects {
			p.show(round, 2, i, 0, subjects)
			s.took = time.Second
		}
	}
	p.clear()
}

// Sees says what an interval says of an effect.
func Sees(low, high, none, least float64) figures.Effect {
	return estimate{(low + high) / 2, low, high}.sees(none, least)
}

// Several is what the parts of a claim say together.
func Several(parts []figures.Effect) (all, some, more figures.Effect) {
	return every(parts...), either(parts...), most(parts...)
}

// Published are the article's figures of an experiment, of the article's work.
func Published(id string) []figures.Published { return PublishedOf(id, find(id).size.article) }

func PublishedOf(id string, n int) []figures.Published { return find(id).published(n) }

// TextOf is what the page says of an experiment.
func TextOf(id string) (title, about, claim, article, link string) {
	e := find(id)
	return e.title, e.about, e.claim, e.article, e.link
}

// NumbersSaid are those of the code that the texts of experiments name.
func NumbersSaid() map[string][]any {
	return map[string][]any{
		"C6":  {callerCount},
		"E1":  {elasticMany, elasticPermits, runningAtFirst, waitingThen, limitLowered, longWorkers, longLowered},
		"E2":  {pidTarget, 100 * pidReached},
		"E3":  {articleChangeRate},
		"E4":  {highGain, articleChangeRate},
		"E5":  {elasticMany, faceTasks, faceMax, faceSems},
		"E12": {stepTarget},
	}
}

// LabelsOf are the points of an experiment at a size, without what was measured.
func LabelsOf(id, scale string) []figures.Point {
	var ps []figures.Point
	for _, p := range find(id).points(scaleOf(scale)) {
		ps = append(ps, figures.Point{Label: p.label, X: p.x, Unit: p.unit, Aside: p.aside})
	}
	return ps
}

// Behaviour is a digest of what the law decides, and of the calls.
func Behaviour() (string, error) { return behaviour() }

// BehaviourAnew works it out once more.
func BehaviourAnew() (string, error) { return digestOfBehaviour() }
