package lab

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/sweetspot-go/sweetspot/lab/figures"
)

type runner struct {
	chosen   []*experiment
	scale    scale
	rounds   int
	forAll   bool // the rounds are for points that want another number as well
	progress *progress
}

// A subject is a point with what was measured so far.
type subject struct {
	e       *experiment
	p       point
	n       int
	rounds  int        // whose samples it shows
	turns   int        // rounds in which it is measured, as others may show more of it
	record  *recording // nil unless the samples are to be looked into
	from    *subject   // what is measured in its place; nil for itself
	samples []float64
	asides  []aside       // of each sample
	took    time.Duration // of the last sample, its process included
	spent   time.Duration // on all samples
	dropped bool          // as its sweep has fallen before
	err     error
}

func (s *subject) measured() *subject {
	if s.from != nil {
		return s.from
	}
	return s
}

// over reports whether all its rounds are measured.
func (s *subject) over() bool { return len(s.samples) >= s.turns }

// measure measures all points in turn, and returns what they say. Points that
// fail leave the others alone; their experiments carry the error.
func (r *runner) measure(ctx context.Context) (*figures.File, error) {
	f := &figures.File{
		Version: figures.Version,
		Machine: figures.ThisMachine(),
		Run:     figures.Run{Scale: r.scale.String(), Rounds: r.rounds, Began: time.Now().UTC().Truncate(time.Second), Confidence: confidence},
	}
	began := time.Now()
	var subjects []*subject
	for _, e := range r.chosen {
		for _, p := range e.points(r.scale) {
			subjects = append(subjects, r.subjectOf(e, p))
		}
	}
	all := subjects
	subjects = shareSamples(all)
	rounds := slices.Max(each(subjects, func(s *subject) int { return s.turns }))
	for round := range rounds {
		// Each round begins with another point, so that periodic disturbances hit other points.
		start := round * len(subjects) / r.rounds % len(subjects)
		for i := range subjects {
			s := subjects[(start+i)%len(subjects)]
			s.dropped = s.dropped || round == 0 && fallen(s, subjects)
			r.progress.show(round, rounds, i, start, subjects)
			switch {
			case s.over(), s.dropped:
				s.took = 0 // from now on
			case s.err == nil:
				s.err = r.sample(ctx, s)
				s.spent += s.took
			}
			if err := context.Cause(ctx); err != nil {
				return nil, fmt.Errorf("stopped in round %d of %d, nothing is written: %w", round+1, rounds, err)
			}
		}
	}
	r.progress.clear()
	for _, e := range r.chosen {
		x := r.conclude(e, all)
		if e.inFull != nil && r.scale != quick && x.Error == "" {
			text, err := e.inFull(r, ctx)
			if context.Cause(ctx) != nil {
				return nil, fmt.Errorf("stopped, nothing is written: %w", context.Cause(ctx))
			}
			if err != nil { // the figures are good without it
				text = "not recorded: " + err.Error()
			}
			x.InFull = text
		}
		f.Experiments = append(f.Experiments, x)
	}
	f.Run.Seconds = time.Since(began).Seconds()
	return f, nil
}

// enoughRounds is how many samples an interval of 95 % takes. With up to eight samples it
// contains all of them.
const enoughRounds = 6

// roundsOf returns the number of rounds of a point.
func (r *runner) roundsOf(p *point) int {
	switch {
	case p.certain:
		return 1
	case p.rounds == 0 || r.forAll:
		return r.rounds
	}
	return p.rounds
}

func (r *runner) subjectOf(e *experiment, p point) *subject {
	p.cpus = cmp.Or(p.cpus, runtime.GOMAXPROCS(0))
	return &subject{e: e, p: p, n: r.sizeOf(e), rounds: r.roundsOf(&p)}
}

func (r *runner) sizeOf(e *experiment) int { return e.size.at(r.scale) }

// longest is how long a sample of quick or full work may take. A sample that takes this
// long hangs: others take far less. It is a variable so that tests need not wait.
var longest = 5 * time.Minute

// sample measures a point once, in a fresh process.
func (r *runner) sample(ctx context.Context, s *subject) error {
	if s.p.seeded != nil && s.record == nil {
		return s.simulate()
	}
	o, err := json.Marshal(order{s.e.id, s.p.name(), r.scale, s.n, s.p.cpus, s.record})
	if err != nil {
		return err
	}
	limited := ctx
	if r.scale != asArticle {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, longest)
		defer cancel()
	}
	c, err := child(limited, "measure", string(o))
	if err != nil {
		return err
	}
	c.Env = os.Environ()
	if os.Getenv("GOGC") == "" {
		c.Env = append(c.Env, "GOGC=100") // what programs have by default; the command sets another for itself
	}
	c.Env = append(append(c.Env, s.p.env...), fmt.Sprintf("GOMAXPROCS=%d", s.p.cpus))
	c.WaitDelay = time.Second // a process of its own that outlives it may hold its output open
	var out, complaint bytes.Buffer
	c.Stdout, c.Stderr = &out, &complaint
	began := time.Now()
	err = c.Run()
	s.took = time.Since(began)
	switch {
	case limited.Err() != nil && ctx.Err() == nil:
		return fmt.Errorf("no end within %v", longest)
	case err != nil:
		return fmt.Errorf("%w: %s", err, lastLines(complaint.String()))
	}
	if s.record != nil {
		return nil
	}
	var a reply
	if err := json.Unmarshal(out.Bytes(), &a); err != nil {
		return fmt.Errorf("its process answered %q: %w", out.String(), err)
	}
	s.samples = append(s.samples, a.Figure)
	s.asides = append(s.asides, a.aside)
	return nil
}

// lastLines returns the end of the error output of a process, which may be the
// dump of all its goroutines.
func lastLines(s string) string {
	const most = 2000
	s = strings.TrimSpace(s)
	if len(s) > most {
		s = s[:most/2] + " … " + s[len(s)-most/2:]
	}
	return s
}

// conclude makes the entry of an experiment.
func (r *runner) conclude(e *experiment, subjects []*subject) figures.Experiment {
	x := figures.Experiment{
		ID: e.id, Title: e.title, Article: e.article, About: e.about, Claim: e.claim,
		SizeArticle: e.size.describe(e.size.article), SizeHere: e.size.describe(r.sizeOf(e)),
		Axis: e.axis, Better: cmp.Or(e.better, lower), Points: []figures.Point{},
		Link: e.link, Published: e.published(r.sizeOf(e)),
	}
	var errs []error
	var rounds []int // of its points, but for those whose figures are certain
	for _, s := range subjects {
		if s.e == e {
			x.Seconds += s.spent.Seconds()
		}
		switch {
		case s.e != e, s.measured().dropped:
		case s.measured().err != nil:
			if s.p.extra == "" { // else it is said of the figure itself
				errs = append(errs, fmt.Errorf("%s: %w", s.p.name(), s.measured().err))
			}
		default:
			samples, err := s.figures(subjects)
			if err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", s.p.name(), err))
				continue
			}
			y := estimateOf(samples)
			p := figures.Point{
				Label: s.p.label, X: s.p.x, Unit: s.p.unit, CPUs: s.p.cpus, Ours: s.p.ours, Aside: s.p.aside, Panel: s.p.panel,
				Y: y.y, Low: y.low, High: y.high, Samples: samples,
			}
			if s.p.size != nil {
				p.Size = s.p.size(s.n)
			}
			if !s.p.certain {
				rounds = append(rounds, s.rounds)
			}
			x.Points = append(x.Points, p)
			if s.p.shownBoth {
				x.Series = append(x.Series, bothExtremes(samples, s.measured().asides)...)
			}
			if s.p.shown {
				last := s.measured().asides[len(samples)-1]
				x.Series = append(x.Series, last.Series...)
				x.Heat = append(x.Heat, last.Heat...)
			}
		}
	}
	if len(rounds) > 0 && slices.Min(rounds) == slices.Max(rounds) && rounds[0] != r.rounds {
		x.Rounds = rounds[0]
	}
	if err := errors.Join(errs...); err != nil {
		x.Error = err.Error()
		x.Verdict = "not measured: it failed"
		return x
	}
	rs := &results{e: e, points: x.Points, scale: r.scale, cpus: runtime.GOMAXPROCS(0)}
	v, err := judged(rs)
	if err != nil {
		x.Error = err.Error()
		x.Verdict = "not judged: it failed"
		return x
	}
	if len(rounds) > 0 && slices.Max(rounds) == 1 && v.effect != figures.Baseline {
		v.effect, v.words = figures.Untold, "in one round, which shows no noise to compare with: "+v.words
	}
	x.Verdict, x.Ours, x.Fits, x.Notes = v.words, v.ours, v.fits, v.notes
	x.Effect, x.Holds = v.effect, v.effect == figures.Shows || v.effect == figures.Baseline
	x.Heat = append(x.Heat, v.heat...)
	e.explain(&x, rs)
	return x
}

// bothExtremes is what the runs with the lowest and the highest figure showed over time,
// each in a picture of its own.
func bothExtremes(samples []float64, asides []aside) (both []figures.Series) {
	low, high := slices.Index(samples, slices.Min(samples)), slices.Index(samples, slices.Max(samples))
	for _, x := range []struct {
		i    int
		name string
	}{{high, "the fastest round"}, {low, "the slowest round"}} {
		for _, s := range asides[x.i].Series {
			s.Panel += ", " + s.Label + ", " + x.name
			both = append(both, s)
		}
	}
	return both
}

// judged lets the experiment judge its figures. A fault there concerns that
// experiment alone, and must not lose the figures of the others.
func judged(r *results) (v verdict, err error) {
	defer func() {
		if p := recover(); p != nil {
			v, err = verdict{}, fmt.Errorf("its figures could not be judged: %v\n%s", p, lastLines(string(debug.Stack())))
		}
	}()
	v = r.e.judge(r)
	return v, v.check()
}

// check reports numbers that no file can hold.
func (v *verdict) check() error {
	var numbers []float64
	if o := v.ours; o != nil {
		numbers = append(numbers, o.Y, o.Ratio, o.Low, o.High)
	}
	for _, f := range v.fits {
		numbers = append(numbers, f.Intercept, f.Slope, f.Low, f.High)
	}
	for _, x := range numbers {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("its figures are not all numbers: %v", numbers)
		}
	}
	if v.words == "" || v.effect == "" {
		return errors.New("it has no verdict")
	}
	return nil
}
