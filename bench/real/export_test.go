package main

import (
	"context"
	"io"
	"strings"
	"time"
)

// Flags parses a command line and returns what it chooses: the names of the
// workloads, the fixed limits of each, and how long all takes.
func Flags(args ...string) (names []string, limits map[string][]int, takes time.Duration, err error) {
	o, err := parseFlags(args, io.Discard)
	if err != nil {
		return nil, nil, 0, err
	}
	limits = make(map[string][]int)
	for _, w := range o.workloads {
		names = append(names, w.name)
		limits[w.name] = o.limitsOf(w)
	}
	return names, limits, o.estimate(), nil
}

// Stream streams units through x/sync's semaphore, or a Limiter if n is 0.
func Stream(ctx context.Context, n int, seconds float64, unit func(context.Context) error) (units int64, took, limit float64, err error) {
	r, err := stream(ctx, task{Peer: n > 0, Fixed: n, Law: "search", Seconds: seconds}, unit)
	return r.Units, r.Seconds, r.LastThird, err
}

// ReadSummary returns the units, the rate and the limit of the last third.
func ReadSummary(file string) (units int64, rate, limit float64, err error) {
	s, err := readSummary(file)
	if err != nil {
		return 0, 0, 0, err
	}
	r := s.result()
	return r.Units, r.Rate, r.LastThird, nil
}

// A Measured is what a test says was measured: by a fixed limit, or the
// automatic one if N is 0.
type Measured struct {
	Round, N   int
	Rate       float64
	Limit      float64
	Busy, Fail bool
}

// Tables returns the report on one workload and the overview, and the JSON.
func Tables(measured []Measured, jsonFile string) (report string, err error) {
	w, err := named("mixed")
	if err != nil {
		return "", err
	}
	b := newBench(&options{workloads: []workload{w}, rounds: 3, law: "search"}, io.Discard)
	if err := b.prepare(context.Background(), ""); err != nil {
		return "", err
	}
	for _, m := range measured {
		s := sample{Workload: w.name, Round: m.Round, Kind: kindFixed, N: m.N, Busy: m.Busy, result: result{Rate: m.Rate, LastThird: m.Limit}}
		if m.N == 0 {
			s.Kind = kindAuto
		}
		if m.Fail {
			s.Error = "broken"
		}
		b.enter(s)
	}
	var out strings.Builder
	b.report(&out, w)
	b.overview(&out)
	return out.String(), b.writeJSON(jsonFile)
}

var (
	Crowded   = newCrowded
	Feed      = feed
	FirstLine = firstLine
	LastLine  = lastLine
)

// BetterThan reports whether a repetition is taken instead of what was before.
// Others below 0 are unknown.
func BetterThan(othersAfter float64, failedAfter bool, othersBefore float64, failedBefore bool) bool {
	make := func(others float64, failed bool) sample {
		var s sample
		if others >= 0 {
			s.Others = &others
		}
		if failed {
			s.Error = "broken"
		}
		return s
	}
	after := make(othersAfter, failedAfter)
	return after.betterThan(make(othersBefore, failedBefore))
}
