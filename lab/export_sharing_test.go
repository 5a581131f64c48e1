package lab

import (
	"context"
	"errors"
	"fmt"
	"unsafe"

	"github.com/sweetspot-go/sweetspot/lab/figures"
)

// What the tests of the experiments about sharing and grain see of them.

// Scales are their names.
var Scales = []string{quick.String(), full.String(), asArticle.String()}

func scaleOf(name string) scale {
	for _, s := range []scale{quick, full, asArticle} {
		if s.String() == name {
			return s
		}
	}
	panic("no scale " + name)
}

// DoAll does each point of an experiment twice, with work of size n.
func DoAll(id, scale string, n int) error {
	e := find(id)
	if e == nil {
		return fmt.Errorf("no experiment %s", id)
	}
	var errs []error
	names := map[string]bool{}
	for _, p := range e.points(scaleOf(scale)) {
		name := id + " " + p.name()
		if names[name] {
			errs = append(errs, fmt.Errorf("%s: there are two", name))
		}
		names[name] = true
		t, err := p.set(n)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
			continue
		}
		for range 2 { // nothing of a run may be left for the next one
			took, err := t.single()
			if err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", name, err))
			} else if !p.aside && !(t.figure(took) > 0) {
				errs = append(errs, fmt.Errorf("%s: the figure is %g", name, t.figure(took)))
			}
		}
	}
	return errors.Join(errs...)
}

// SizesInWords are those of an experiment.
func SizesInWords(id string) (full, article string) {
	s := find(id).size
	return s.describe(s.full), s.describe(s.article)
}

// A Conclusion is a verdict.
type Conclusion struct {
	Words  string
	Effect figures.Effect
	Ours   *figures.Ours
	Notes  []string
}

// Conclude has an experiment judge figures that are all 1, except for those given
// by label, or by label and place.
func Conclude(id, scale string, cpus int, given map[string]float64) (Conclusion, error) {
	e := find(id)
	if e == nil {
		return Conclusion{}, fmt.Errorf("no experiment %s", id)
	}
	r, used := madeUp(e, scale, cpus, given)
	if len(given) > 0 && used == 0 {
		return Conclusion{}, fmt.Errorf("%s has none of the points given", id)
	}
	v := e.judge(r)
	return Conclusion{v.words, v.effect, v.ours, v.notes}, nil
}

// madeUp returns such figures, and how many of those given are among them.
func madeUp(e *experiment, scale string, cpus int, given map[string]float64) (r *results, used int) {
	r = &results{e: e, scale: scaleOf(scale), cpus: cpus}
	for _, p := range e.points(r.scale) {
		y, ok := given[p.name()]
		if !ok {
			y, ok = given[p.label]
		}
		if ok {
			used++
		} else {
			y = 1
		}
		f := figures.Point{Label: p.label, X: p.x, Unit: p.unit, Ours: p.ours, Aside: p.aside}
		for i := range 10 {
			f.Samples = append(f.Samples, y*(1+0.001*float64(i*7%5)))
		}
		est := estimateOf(f.Samples)
		f.Y, f.Low, f.High = est.y, est.low, est.high
		r.points = append(r.points, f)
	}
	return r, used
}

const Million = million

func Sum(lo, hi int64) int64                     { return sum(lo, hi) }
func SumBelow(limit int64) int64                 { return sumBelow(limit) }
func Share(limit int64, i, n int) (lo, hi int64) { return share(limit, i, n) }
func SumByChannel(limit int64) int64             { return sumByChannel(limit) }
func SumByReduce(limit int64) (int64, error)     { return sumByReduce(limit) }
func SumInSlots(limit int64, n, stride int) (total int64) {
	sums := slots(n, stride)
	addShares(sums, stride/word, limit, n, addTo)
	for i := range n {
		total += sums[i*stride/word]
	}
	return total
}

// Slots returns where slots begin, and the bytes there.
func Slots(n, stride int) (at uintptr, room int) {
	sums := slots(n, stride)
	return uintptr(unsafe.Pointer(&sums[0])), len(sums) * word
}

// CheckSum checks a sum of the numbers below limit.
func CheckSum(limit, got int64) error {
	t, err := sumTask("sum", limit, func() (int64, error) { return got, nil })
	if err != nil {
		return err
	}
	_, err = t.single()
	return err
}

const (
	FibOf    = fibOf
	FibCalls = fibCalls
)

func Slow(i int) int      { return slow(i) }
func Parallel1(i int) int { return parallel1(i) }
func Parallel2(i int) int { return parallel2(i) }

// CheckFib runs a point of fib, and checks it.
func CheckFib(fib func(int) int) error {
	t, err := fibPoint("fib", false, fib).set(1)
	if err != nil {
		return err
	}
	_, err = t.single()
	return err
}

func StandardDeviation(xs []float64) float64 { return standardDeviation(xs) }

// A Graph is one to be marked.
type Graph struct{ g *graph }

type Node = node

func GraphOf(nodes, again int) Graph {
	if again == 0 {
		return Graph{treeOf(nodes)}
	}
	return Graph{tangleOf(nodes, again)}
}

func (g Graph) Next(v Node) []Node          { return g.g.next(v) }
func (g Graph) Place(v Node) int            { return g.g.place(v) }
func (g Graph) Serially() map[Node]struct{} { return serially(g.g) }
func (g Graph) Each() map[Node]struct{}     { return markEach(g.g) }

// Walk returns how often each place was visited.
func (g Graph) Walk() ([]uint8, error) {
	marks := marksOf(g.g)
	err := markByWalk(g.g, marks)
	return marks, err
}

// CheckMark checks what was found of a tree.
func CheckMark(nodes int, seen map[Node]struct{}) error {
	t, err := markPoint("mark", 0, treeOf, func(*graph) map[node]struct{} { return seen }).set(nodes)
	if err != nil {
		return err
	}
	_, err = t.single()
	return err
}

// WaysToRun are those of D6, by name.
var WaysToRun = map[string]func(ctx context.Context, n int, run func(ctx context.Context, i int) error) error{
	"at once": allAtOnce, "semaphore": bySemaphore, "ForEach": byForEach, "one by one": oneByOne,
}

// Runs say how runs ended.
type Runs struct{ e ends }

func NewRuns(n int) Runs { return Runs{make(ends, n)} }

func (r Runs) Run(ctx context.Context, i int) error { return r.e.run(ctx, i) }
func (r Runs) InTime() int                          { return r.e.inTime() }
func (r Runs) Settle() (done int, err error)        { return r.e.settle() }
