package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/sweetspot-go/sweetspot"
)

// The tests speak of these from outside.
type (
	Point   = point
	Trace   = trace
	Sample  = sample
	AutoRun = autoRun
	Verdict = verdict
)

// Of a trace.
var (
	Rate    = trace.rate
	Refused = trace.refused
	Limit   = trace.limit
)

// NewPoint returns a point of a trace.
func NewPoint(at float64, done, refused int64, limit int) Point {
	return point{at, done, refused, limit}
}

// NewSample returns the sample of a fixed number.
func NewSample(phase string, n int, rate float64) Sample {
	return sample{Phase: phase, N: n, Rate: rate}
}

// NewAutoSample returns the sample of an automatic run.
func NewAutoSample(limit float64, rates ...float64) Sample {
	return sample{Phase: auto, Auto: &autoRun{Rates: [len(windows)]float64(rates), Limit: limit}}
}

// Judge returns the verdict on rounds.
func Judge(numbers []int, rounds ...[]Sample) Verdict {
	t := &tally{numbers: numbers}
	for _, r := range rounds {
		t.add(r)
	}
	return t.judge()
}

// Flags parses a command line and returns what it chooses: the names of the works,
// the fixed numbers of each, and how long all takes.
func Flags(args ...string) (names []string, numbers map[string][]int, takes time.Duration, err error) {
	o, err := parseFlags(args, io.Discard)
	if err != nil {
		return nil, nil, 0, err
	}
	numbers = make(map[string][]int)
	for _, w := range o.works {
		names = append(names, w.name)
		numbers[w.name] = o.numbersOf(w)
	}
	return names, numbers, o.estimate(), nil
}

// ErrRefused is what units wrap if there was too much at once.
var ErrRefused = errRefused

// Measure sends units through a Limiter of n for a time.
func Measure(ctx context.Context, n, callers int, u func(context.Context) error, length time.Duration) (Trace, error) {
	return measure(ctx, setTo(newLimiter(), n), callers, u, length)
}

// Works returns the names of all works.
func Works() []string {
	var names []string
	for _, w := range works() {
		names = append(names, w.name)
	}
	return names
}

// Small lets PostgreSQL have small tables.
func Small() { scale = 1 }

// Open opens a work on a host of its own, whose directory it returns, and which
// end ends.
func Open(ctx context.Context, name string) (u func(context.Context) error, dir string, end func(), err error) {
	h, err := newHost()
	if err != nil {
		return nil, "", func() {}, err
	}
	for _, w := range works() {
		if w.name == name {
			u, err = w.open(ctx, h)
		}
	}
	return u, h.dir, h.close, err
}

// Skippable reports whether a work that failed with an error may be left out.
var Skippable = skippable

// Report returns the report on verdicts about runs of a minute.
func Report(verdicts ...Verdict) string {
	b := &bench{options: options{law: "search", auto: time.Minute, rounds: 5}, verdicts: verdicts}
	var out strings.Builder
	b.report(&out)
	return out.String()
}

// setTo returns l with its limit fixed at n.
func setTo(l *sweetspot.Limiter, n int) *sweetspot.Limiter {
	l.SetLimit(n)
	return l
}

// A Course is a run by seconds.
type Course = course

// Of a course.
func (c course) Rate() float64                  { return c.rate() }
func (c course) P99() time.Duration             { return c.p99() }
func (c course) Held(p99 time.Duration) float64 { return c.held(p99) }

// Bounds does what -p99 does with a unit that 64 callers send, and returns the log and the
// table.
func Bounds(ctx context.Context, u func(context.Context) error, args ...string) (string, error) {
	o, err := parseFlags(args, io.Discard)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	b := &bench{options: *o, log: &out}
	err = b.measureBounds(ctx, work{name: "slots", callers: 64}, u)
	b.reportBounds(&out)
	return out.String(), err
}

// Contenders returns the numbers that are measured for a p99, after a sweep.
func Contenders(p99 time.Duration, sweep map[int]time.Duration) string {
	var all []kept
	for _, n := range slices.Sorted(maps.Keys(sweep)) {
		all = append(all, kept{n: float64(n), p99: sweep[n]})
	}
	return fmt.Sprint(contenders(all, p99))
}

// BestOf returns the best of the numbers 1, 2 and 3, which do as many units a second and
// hold a p99 in such shares of the seconds.
func BestOf(held [3]float64) float64 {
	a := bound{}
	for i, h := range held {
		a.fixed = append(a.fixed, kept{n: float64(i + 1), held: h, rate: float64(i + 1)})
	}
	return a.best().n
}

// TwoDigits rounds a time to two digits.
var TwoDigits = twoDigits
