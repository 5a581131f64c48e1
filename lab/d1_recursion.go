package lab

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/lab/figures"
)

// d1 is the baseline of D2 and D3.
func d1() *experiment {
	return recursion("D1", size{30, 1000, 1000, "runs"}, func(r *results) verdict {
		p := r.at("Slow", 0)
		return verdict{
			words: fmt.Sprintf("%s ms a run, between %s and %s ms; standard deviation %s µs",
				humanize.Number(p.Y/1e6), humanize.Number(p.Low/1e6), humanize.Number(p.High/1e6), humanize.Number(r.at("Slow"+deviation, 0).Y/1e3)),
			effect: figures.Baseline,
		}
	}, "Slow")
}

// fewRuns is the size of those that take long.
var fewRuns = size{3, 20, 1000, "runs"}

func d2() *experiment {
	return recursion("D2", fewRuns, func(r *results) verdict {
		words, s := r.slowedDown("Parallel1", 2)
		return verdict{words: words, effect: s.sees(1, slower), notes: []string{r.deviations("Slow", "Parallel1")}}
	}, "Slow", "Parallel1")
}

func d3() *experiment {
	return recursion("D3", fewRuns, func(r *results) verdict {
		words, s := r.slowedDown("Parallel2", 1)
		waits := ratio(r.at("Parallel1", 0), r.at("Parallel2", 0))
		return verdict{
			words:  fmt.Sprintf("%s; Parallel1 takes %v the time of Parallel2", words, waits),
			effect: every(s.sees(1, slower), waits.sees(1, slower)),
			notes:  []string{r.deviations("Slow", "Parallel1", "Parallel2")},
		}
	}, "Slow", "Parallel2", "Parallel1")
}

// recursion computes fib in some ways of the article, and in ours.
func recursion(id string, size size, judge func(r *results) verdict, ways ...string) *experiment {
	return &experiment{
		id: id, size: size,
		points: func(scale) []point {
			ps := concat(ways, func(w string) []point {
				p := fibPoint(w, false, fibs[w])
				return []point{p, p.showing(w+deviation, "ns", deviation)}
			})
			return append(ps, fibPoint("JoinSerial", true, func(i int) int { return joined(sweetspot.NewJoiner(), i) }))
		},
		judge: func(r *results) verdict {
			v := judge(r)
			v.ours = r.answer()
			return v
		},
	}
}

// slowedDown compares the recursion of a label, which starts the given number of goroutines for each call,
// with the plain one.
func (r *results) slowedDown(label string, goroutines float64) (words string, s estimate) {
	serial, p := r.at("Slow", 0), r.at(label, 0)
	s = ratio(p, serial)
	return fmt.Sprintf("%s takes %v the time of Slow, %s more for each of its goroutines", label, s, humanize.Format((p.Y-serial.Y)/(goroutines*fibCalls), "ns")), s
}

// The recursions of the article "Goroutines Are Cheap, but Not Free", written
// from their description. All compute Fibonacci numbers the long way, as a
// stand-in for CPU-bound work.

const (
	fibOf     = 27
	fibResult = 196_418
)

// fibs are those of the article, by name.
var fibs = map[string]func(int) int{"Slow": slow, "Parallel1": parallel1, "Parallel2": parallel2}

// slow is the plain recursion.
func slow(i int) int {
	if i < 2 {
		return i
	}
	return slow(i-1) + slow(i-2)
}

// parallel1 has two goroutines and two channels for each call, and waits.
func parallel1(i int) int {
	if i < 2 {
		return i
	}
	a, b := make(chan int), make(chan int)
	//sweetspot:ignore recspawn it is the article's, to be measured
	go func() { a <- parallel1(i - 1) }()
	go func() { b <- parallel1(i - 2) }()
	return <-a + <-b
}

// parallel2 has one goroutine for each call, and does the other half itself.
func parallel2(i int) int {
	if i < 2 {
		return i
	}
	a := make(chan int)
	//sweetspot:ignore recspawn it is the article's, to be measured
	go func() { a <- parallel2(i - 1) }()
	b := parallel2(i - 2)
	return <-a + b
}

// joined is the recursion by JoinSerial: no cutoff, no number of goroutines.
func joined(j *sweetspot.Joiner, i int) int {
	if i < 2 {
		return i
	}
	a, b := sweetspot.JoinSerial(j, joined, slow, i-1, i-2)
	return a + b
}

// fibPoint measures n runs of fib, one after the other. The figure is the time of one.
// D1 to D3 share the samples of the points that they have in common.
func fibPoint(label string, ours bool, fib func(int) int) point {
	return point{label: label, unit: "ns/run", ours: ours, from: "fib: " + label, set: func(n int) (task, error) {
		got, right := 0, true
		times := make([]float64, n)
		return task{
			run: func() error {
				for i := range times {
					began := time.Now()
					if f := fib(fibOf); f != fibResult {
						got, right = f, false
					}
					times[i] = float64(time.Since(began).Nanoseconds())
				}
				return nil
			},
			check: func() error {
				if !right {
					return fmt.Errorf("fib(%d) is %d, want %d", fibOf, got, fibResult)
				}
				return nil
			},
			figure: perOp(n),
			aside:  func() aside { return aside{Extra: map[string]float64{deviation: standardDeviation(times)}} },
		}, nil
	}}
}

// deviation is the suffix of the labels of points that show how much the runs of
// a process differ.
const deviation = ", standard deviation"

func standardDeviation(xs []float64) float64 {
	squares, m := 0.0, mean(xs)
	for _, x := range xs {
		squares += (x - m) * (x - m)
	}
	return math.Sqrt(squares / float64(len(xs)))
}

// deviations describes those of some labels.
func (r *results) deviations(labels ...string) string {
	return strings.Join(each(labels, func(l string) string {
		d := r.at(l+deviation, 0)
		return fmt.Sprintf("%s takes %s a run, with a standard deviation of %s", l, humanize.Format(r.at(l, 0).Y, "ns"), humanize.Format(d.Y, d.Unit))
	}), "; ") + "."
}

// fibCalls is how many calls of fib(27) have halves.
const fibCalls = 317_810
