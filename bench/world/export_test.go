package main

import (
	"context"
	"io"
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
	Second  = second
	Change  = change
)

// Of a trace.
var (
	Rate    = trace.rate
	Refused = trace.refused
	Limit   = trace.limit

	BySecond = trace.bySecond
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
	for i, r := range rounds {
		t.round(i, r)
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
		return nil, "", nil, err
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

// Report returns the report on verdicts about runs of a minute, and writes it as
// JSON to a file.
func Report(file string, verdicts ...Verdict) (string, error) {
	b := &bench{options: options{law: "search", auto: time.Minute, rounds: 5}, verdicts: verdicts}
	var out strings.Builder
	b.report(&out)
	return out.String(), b.writeJSON(file)
}

// setTo returns l with its limit fixed at n.
func setTo(l *sweetspot.Limiter, n int) *sweetspot.Limiter {
	l.SetLimit(n)
	return l
}
