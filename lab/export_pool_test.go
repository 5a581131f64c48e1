package lab

import (
	"fmt"
	"runtime"

	"github.com/sweetspot-go/sweetspot/lab/figures"
)

// What the tests of the experiments with the pool see of them.

// A PoolResult is a result of the pool.
type PoolResult[I, O any] struct {
	In  I
	Out O
	Err error
}

func Do[I, O any](units []I, f func(I) (O, error), workers, buffer int) []PoolResult[I, O] {
	return poolResults(do(units, f, workers, buffer))
}

func DoWithState[I, O, S any](units []I, state func() S, f func(S, I) (O, error), workers, buffer int) []PoolResult[I, O] {
	return poolResults(doWithState(units, state, f, workers, buffer))
}

func poolResults[I, O any](rs []result[I, O]) []PoolResult[I, O] {
	var all []PoolResult[I, O]
	for _, r := range rs {
		all = append(all, PoolResult[I, O]{r.in, r.out, r.err})
	}
	return all
}

const Hashes = hashes

var (
	HashText     = hashText
	HashNumber   = hashNumber
	HashNumberIn = hashNumberIn
	Count        = count
	Texts        = texts
	Numbered     = numbers
)

// CheckDoubled checks results of the units 0 to n, of which each is to be
// doubled.
func CheckDoubled(n int, rs []PoolResult[uint64, uint64]) error {
	k := kind[uint64, uint64]{inputs: numbers, do: func(v uint64) (uint64, error) { return 2 * v, nil }}
	b := k.batch(n)
	var all []result[uint64, uint64]
	for _, r := range rs {
		all = append(all, result[uint64, uint64]{r.In, r.Out, r.Err})
	}
	return b.checkResults(all)
}

// A PoolPoint is what tests want to know of a point.
type PoolPoint struct {
	Name, Label, Unit string
	X                 float64
	Ours, Aside       bool
	point             point
}

// PoolPoints returns the points of an experiment at a scale: quick, full or
// article.
func PoolPoints(id, size string) []PoolPoint {
	var all []PoolPoint
	for _, s := range []scale{quick, full, asArticle} {
		if s.String() != size {
			continue
		}
		for _, p := range find(id).points(s) {
			all = append(all, PoolPoint{p.name(), p.label, p.unit, p.x, p.ours, p.aside, p})
		}
	}
	return all
}

// Measure measures n units once, and returns the figure.
func (p PoolPoint) Measure(n int) (float64, error) {
	s, err := p.sample(n)
	return s.figure, err
}

// A PoolSample is what one measurement says.
type PoolSample struct {
	figure float64
	beside map[string]float64
}

func (p PoolPoint) sample(n int) (s PoolSample, err error) {
	t, err := p.point.set(n)
	if err != nil {
		return s, err
	}
	took, err := t.single()
	s.figure = t.figure(took)
	if err == nil && t.aside != nil {
		s.beside = t.aside().Extra
	}
	return s, err
}

// MeasureOnce returns the figure of the point out of what its measurement says, which it takes
// from those that are there, by name, or adds to them.
func (p PoolPoint) MeasureOnce(n int, measured map[string]PoolSample) (float64, error) {
	s, there := measured[p.point.from]
	if !there {
		var err error
		if s, err = p.sample(n); err != nil {
			return 0, err
		}
		if p.point.from != "" {
			measured[p.point.from] = s
		}
	}
	if p.point.extra == "" {
		return s.figure, nil
	}
	y, there := s.beside[p.point.extra]
	if !there {
		return 0, fmt.Errorf("the figure of %s has no %s beside it", p.point.from, p.point.extra)
	}
	return y, nil
}

func PoolSizes(id string) (quick, full, article int) {
	s := find(id).size
	return s.quick, s.full, s.article
}

// A PoolVerdict is what an experiment makes of figures.
type PoolVerdict struct {
	Words  string
	Effect figures.Effect
	Ours   *figures.Ours
	Fits   []figures.Fit
	Notes  []string
}

// JudgePool judges figures of a machine with so many CPUs as the tests have.
func JudgePool(id string, points []figures.Point) PoolVerdict {
	e := find(id)
	v := e.judge(&results{e: e, points: points, scale: quick, cpus: runtime.GOMAXPROCS(0)})
	return PoolVerdict{v.words, v.effect, v.ours, v.fits, v.notes}
}

// FitBeyond fits a line through the points of a label from x on.
func FitBeyond(points []figures.Point, label string, x float64) figures.Fit {
	return (&results{e: &experiment{id: "T"}, points: points}).fitBeyond(label, x)
}
