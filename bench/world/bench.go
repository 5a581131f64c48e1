package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/bench/internal/load"
	"github.com/sweetspot-go/sweetspot/control"
)

// A bench measures works, one after the other.
type bench struct {
	options
	log io.Writer

	verdicts []verdict
	kept     []bound // with -p99
}

// warmUp is how long all callers run before the first measurement. It opens
// connections and fills caches.
const warmUp = 3 * time.Second

// warm starts what a work needs, has all its callers run for a while, and measures it.
func warm(ctx context.Context, w work, measured func(context.Context, work, unit) error) error {
	h, err := newHost()
	if err != nil {
		return err
	}
	defer h.close()
	u, err := w.open(ctx, h)
	if err != nil {
		return err
	}
	if _, err := measure(ctx, fixedAt(w.callers), w.callers, u, warmUp); err != nil {
		return err
	}
	return measured(ctx, w, u)
}

// measureRounds measures a work. What was measured of it before an error stays.
func (b *bench) measureRounds(ctx context.Context, w work, u unit) error {
	t := &tally{work: w, numbers: b.numbersOf(w)}
	defer func() {
		if len(t.rounds) > 0 {
			b.verdicts = append(b.verdicts, t.judge())
		}
	}()
	for round := range b.rounds {
		samples, err := b.round(ctx, w, u, round)
		if err != nil {
			return err
		}
		t.add(samples)
	}
	return nil
}

// round measures a work once at all numbers, automatically, and at all numbers.
func (b *bench) round(ctx context.Context, w work, u unit, round int) ([]sample, error) {
	var samples []sample
	for _, phase := range []string{before, auto, after} {
		numbers := []int{0}
		if phase != auto {
			numbers = b.numbersOf(w)
			rand.Shuffle(len(numbers), func(i, j int) { numbers[i], numbers[j] = numbers[j], numbers[i] })
		}
		for _, n := range numbers {
			s := sample{Work: w.name, Round: round + 1, Phase: phase, N: n}
			if err := b.best(ctx, w, u, &s); err != nil {
				return samples, err
			}
			samples = append(samples, s)
		}
	}
	return samples, nil
}

// attempts is how often -strict takes a sample that others disturb.
const attempts = 3

// best fills a sample by the attempt that others disturbed least.
func (b *bench) best(ctx context.Context, w work, u unit, s *sample) error {
	for attempt := 1; ; attempt++ {
		try := *s
		if err := b.take(ctx, w, u, &try); err != nil {
			return err
		}
		if attempt == 1 || try.Others != nil && *try.Others < *s.Others {
			*s = try
		}
		if !b.strict || s.Others == nil || *s.Others <= load.BusyAbove || attempt == attempts {
			return nil
		}
		load.AwaitQuiet(ctx, time.Minute, time.Second, load.BusyAbove)
	}
}

func (b *bench) take(ctx context.Context, w work, u unit, s *sample) error {
	law, err := control.ByName(b.law)
	if err != nil {
		return err
	}
	l, length := newLimiter(sweetspot.Controller(law)), b.auto
	if s.N > 0 {
		l.SetLimit(s.N)
		length = b.fixed
	}
	runtime.GC() // the garbage of the sample before is not this one's
	was := load.Now()
	t, err := measure(ctx, l, w.callers, u, length)
	if err != nil {
		return err
	}
	if cpus, known := load.Now().OthersSince(was); known {
		s.Others = &cpus
	}
	s.Rate, s.Refused = t.rate(0, t.seconds()), t.refused()
	if s.Rate == 0 {
		return fmt.Errorf("no unit ended within %v", length)
	}
	if s.N == 0 {
		s.Auto = newAutoRun(t)
	}
	fmt.Fprintln(b.log, s.line())
	if b.verbose && s.N == 0 {
		b.logDecisions(l)
	}
	return nil
}

func (b *bench) logDecisions(l *sweetspot.Limiter) {
	for _, d := range l.Decisions() {
		fmt.Fprintf(b.log, "%8.2f s  %4d → %-4d  %s\n", d.At.Seconds(), d.From, d.To, d.Reason)
	}
}
