package lab

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/internal/humanize"
)

// The recursions of the article "Goroutines Are Cheap, but Not Free", written
// from their description. All compute Fibonacci numbers the long way, as a
// stand-in for work of the CPU.

const (
	fibOf     = 27
	fibResult = 196_418
)

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
// D1 to D3 share what they measure the same of.
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

// deviation is the suffix of the label of how much the runs of a process differ.
const deviation = ", standard deviation"

// withDeviation adds that to a point.
func withDeviation(p point) []point {
	return []point{p, p.showing(p.label+deviation, "ns", deviation)}
}

func standardDeviation(xs []float64) float64 {
	squares, m := 0.0, mean(xs)
	for _, x := range xs {
		squares += (x - m) * (x - m)
	}
	return math.Sqrt(squares / float64(len(xs)))
}

// deviations tells those of some labels.
func (r *results) deviations(labels ...string) string {
	return strings.Join(each(labels, func(l string) string {
		d := r.at(l+deviation, 0)
		return fmt.Sprintf("%s %s a run with a standard deviation of %s", l, humanize.Format(r.at(l, 0).Y, "ns"), humanize.Format(d.Y, d.Unit))
	}), ", ") + "."
}

// ourFib is the answer to all of them.
func ourFib() point {
	return fibPoint("JoinSerial", true, func(i int) int { return joined(sweetspot.NewJoiner(), i) })
}

// fibCalls is how many calls of fib(27) have halves.
const fibCalls = 317_810
