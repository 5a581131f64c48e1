package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/sweetspot-go/sweetspot/bench/internal/load"
	"github.com/sweetspot-go/sweetspot/bench/internal/stats"
)

// A bench measures subjects, round by round.
type bench struct {
	options
	log      io.Writer
	began    time.Time
	spins    float64
	patience time.Duration // what is left of it
	samples  []sample
	failed   int
}

type sample struct {
	Group  string
	Row    string
	Column string
	Procs  int
	Round  int // from 1
	Items  int
	result
	Others    *float64 // CPU seconds that other processes used; nil if unknown
	Disturbed bool
	Error     string
}

func newBench(o *options, log io.Writer) *bench {
	return &bench{options: *o, log: log, patience: o.patience}
}

// run measures everything. If ctx is cancelled, it returns the cause; what was
// measured stays.
func (b *bench) run(ctx context.Context) error {
	b.began = time.Now()
	b.spins = calibrate()
	for round := range b.rounds {
		fmt.Fprintf(b.log, "round %d of %d:", round+1, b.rounds)
		for _, g := range b.groups {
			began := time.Now()
			if err := b.round(ctx, g, round); err != nil {
				return err
			}
			fmt.Fprintf(b.log, " %s %v", g.name, time.Since(began).Round(time.Second))
		}
		fmt.Fprintln(b.log)
	}
	return nil
}

// round measures each subject of a group once. A round begins elsewhere than
// the one before, so that nobody comes always first; those of one column, which
// are compared, stay together.
func (b *bench) round(ctx context.Context, g group, round int) error {
	subjects := slices.DeleteFunc(g.subjects(b.procs, b.quick), func(s subject) bool { return b.match != nil && !b.match.MatchString(s.id()) })
	for _, i := range stats.Order(len(subjects), round, b.rounds) {
		if err := b.take(ctx, g, subjects[i], round); err != nil {
			return err
		}
	}
	return nil
}

// attempts is how often a sample is taken at most, until none disturbs it.
const attempts = 3

// take takes a sample and keeps, of several attempts, the one that was disturbed
// least. Only the end of ctx is an error; a measurement that fails is noted.
func (b *bench) take(ctx context.Context, g group, s subject, round int) error {
	o := order{g.name, s.id(), b.procs, b.quick, b.spins}
	var best sample
	for n := 1; ; n++ {
		began := time.Now()
		x := sample{Group: g.name, Row: s.row, Column: s.column, Procs: s.procs, Round: round + 1, Items: s.items}
		before := load.Now()
		r, err := launch(ctx, o, s.procs)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		took := time.Since(began)
		x.result = r
		if cpus, known := load.Now().OthersSince(before); known {
			others := cpus * took.Seconds()
			x.Others, x.Disturbed = &others, disturbing(others, took)
		}
		if err != nil {
			x.Error = err.Error()
			fmt.Fprintf(b.log, "\n%s: %s failed: %v\n", g.name, s.id(), err)
		}
		if n == 1 || x.betterThan(best) {
			best = x
		}
		if n > 1 {
			b.patience -= took
		}
		if !best.Disturbed || n == attempts || b.patience <= 0 {
			break
		}
		waited := time.Now()
		load.AwaitQuiet(ctx, 2*time.Second, 200*time.Millisecond, load.BusyAbove)
		b.patience -= time.Since(waited)
	}
	if best.Error != "" {
		b.failed++
	}
	b.samples = append(b.samples, best)
	return nil
}

// disturbing reports whether what other processes used, in CPU seconds, is too
// much for a measurement that took so long: more than 6 % of a CPU, the noise of
// a good round, beyond the tick of 10 ms in which the kernel tells it.
func disturbing(others float64, took time.Duration) bool {
	return others > 0.06*took.Seconds()+0.012
}

// betterThan reports whether s, a repetition of t, was disturbed less.
func (s *sample) betterThan(t sample) bool {
	switch {
	case s.Error != "" || t.Error != "":
		return s.Error == ""
	case s.Others == nil || t.Others == nil:
		return s.Others != nil
	case s.Disturbed != t.Disturbed:
		return t.Disturbed
	}
	return *s.Others < *t.Others
}
