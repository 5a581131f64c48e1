package lab

import (
	"fmt"
	"runtime"
	"strings"
	"sync"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/lab/figures"
)

// a1 is the baseline of A2 to A6: what the pool itself costs.
func a1() *experiment {
	const empty, real = "empty units", "real units"
	buffers := []struct {
		name string
		size int
	}{{"no buffer", 0}, {"buffer 100", 100}, {"buffer for all", wholeBuffer}}
	return &experiment{
		id: "A1", size: size{120, 1000, 3000, "real units"},
		points: func(scale) []point {
			of := func(units string, k kind[uint64, uint64]) []point {
				ps := []point{loopPoint("loop, "+units, k)}
				for _, b := range buffers {
					ps = append(ps, doPoint("Do, "+b.name+", "+units, k, runtime.GOMAXPROCS(0), b.size))
				}
				// There are as many workers as CPUs throughout, so their number is not an axis.
				return each(append(ps, mapPoint("Map, "+units, k)), func(p point) point { return perUnit(p.at(0), k.fixed) })
			}
			return append(of(empty, noUnits), each(of(real, numberUnits), point.asAside)...)
		},
		judge: func(r *results) verdict {
			loop := r.at("loop, "+empty, 0)
			among := func(prefix, suffix string) func(*figures.Point) bool {
				return func(p *figures.Point) bool {
					return !p.Ours && strings.HasPrefix(p.Label, prefix) && strings.HasSuffix(p.Label, suffix)
				}
			}
			cheapest := r.bestOf(among("Do, ", empty))
			handing := removed(cheapest, loop)
			none, all := r.at("Do, no buffer, "+real, 0), r.at("Do, buffer for all, "+real, 0)
			toReal := r.answerOf(among("", real), r.at("Map, "+real, 0))
			return verdict{
				words: fmt.Sprintf("handing a unit to a worker and back costs %s ns (%s to %s); without a buffer, real units take %v the time that they take with a buffer for all%s",
					humanize.Number(handing.y), humanize.Number(handing.low), humanize.Number(handing.high), ratio(none, all), toldApart(ratio(none, all))),
				effect: figures.Baseline,
				ours:   r.answer(),
				notes: []string{
					fmt.Sprintf("An empty unit takes %v the time of the plain loop, with the pool at its best (%s).", ratio(cheapest, loop), cheapest.Label),
					fmt.Sprintf("Real units: Map is %s times as good as %s (%s to %s).", humanize.Number(toReal.Ratio), toReal.Best, humanize.Number(toReal.Low), humanize.Number(toReal.High)),
				},
			}
		},
		short: func(r *results) string {
			loop, ours := r.at("loop, "+empty, 0), r.at("Map, "+empty, 0)
			more := removed(ours, loop)
			return fmt.Sprintf("The loop over %s takes %s. A call of Map takes %s more (%s to %s), to start, to read the clock and to choose chunks. This cost does not depend on what the units do, so units that do some work hide it.",
				humanize.Count(emptyUnits, empty), humanize.Format(loop.Y*emptyUnits, "ns"), humanize.Format(more.y*emptyUnits, "ns"), humanize.Format(more.low*emptyUnits, "ns"), humanize.Format(more.high*emptyUnits, "ns"))
		},
	}
}

// A result is what became of a unit of work.
type result[I, O any] struct {
	in  I
	out O
	err error
}

// do is the pool of the article "Parallelism in Go - Part 2", written from its
// description: workers take units from a channel with a buffer, and put one
// result for each into another. Results are in the order in which they were
// made.
func do[I, O any](units []I, f func(I) (O, error), workers, buffer int) []result[I, O] {
	return pool(units, workers, buffer, func(in <-chan I, out chan<- result[I, O]) {
		for unit := range in {
			o, err := f(unit)
			out <- result[I, O]{unit, o, err}
		}
	})
}

// doWithState is do with a state that each worker makes once, and hands to all
// its calls of f.
func doWithState[I, O, S any](units []I, state func() S, f func(S, I) (O, error), workers, buffer int) []result[I, O] {
	return pool(units, workers, buffer, func(in <-chan I, out chan<- result[I, O]) {
		s := state()
		for unit := range in {
			o, err := f(s, unit)
			out <- result[I, O]{unit, o, err}
		}
	})
}

// pool runs the workers between the channels, and collects what they make.
func pool[I, R any](units []I, workers, buffer int, worker func(in <-chan I, out chan<- R)) []R {
	in, out := make(chan I, buffer), make(chan R, buffer)
	go func() {
		defer close(in)
		for _, unit := range units {
			in <- unit
		}
	}()
	var working sync.WaitGroup
	for range workers {
		working.Go(func() { worker(in, out) })
	}
	go func() {
		defer close(out)
		working.Wait()
	}()
	results := make([]R, 0, len(units))
	for r := range out {
		results = append(results, r)
	}
	return results
}
