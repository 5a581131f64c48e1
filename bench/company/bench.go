package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/sweetspot-go/sweetspot/bench/internal/stats"
)

// A bench measures situations, one after the other.
type bench struct {
	options
	log    io.Writer
	binary string // of sweetspot, if a situation needs it
}

// measure measures a situation: fixed, automatic, fixed, automatic, …, fixed.
func (b *bench) measure(ctx context.Context, s situation) (*verdict, error) {
	s.jobs = int(float64(s.jobs) * b.jobs)
	number, err := b.best(ctx, s)
	if err != nil {
		return nil, err
	}
	v := &verdict{situation: s, number: number}
	before, err := b.one(ctx, s, number, b.fixed)
	for range b.rounds {
		if err != nil {
			return nil, err
		}
		var auto, after sample
		if auto, err = b.one(ctx, s, 0, b.auto); err == nil {
			after, err = b.one(ctx, s, number, b.fixed)
		}
		if err == nil {
			v.add(before, auto, after)
		}
		before = after
	}
	return v, err
}

func (b *bench) one(ctx context.Context, s situation, number int, length time.Duration) (sample, error) {
	m, err := b.take(ctx, s, number, length)
	if err != nil {
		return m, err
	}
	fmt.Fprintf(b.log, "%-17s %5s %9s/s  jain %.3f  %.2f CPUs, others %.2f  limits %s\n", s.name, inWords(number), stats.FormatRate(m.total), jain(m.rates), m.cpu, m.others, few(m.limits))
	return m, nil
}

// best returns the best fixed number by a short sweep.
func (b *bench) best(ctx context.Context, s situation) (int, error) {
	best, most := s.numbers[0], 0.0
	if len(s.numbers) == 1 {
		return best, nil
	}
	s.jobs /= sweepShare
	for _, n := range s.numbers {
		m, err := b.one(ctx, s, n, b.fixed/2)
		if err != nil {
			return 0, err
		}
		if m.total > most {
			best, most = n, m.total
		}
	}
	return best, nil
}

// sweepShare is the part of the jobs of a run that a number of the sweep gets.
const sweepShare = 4

// inWords returns a number as the table has it.
func inWords(number int) string {
	switch number {
	case 0:
		return "auto"
	case bare:
		return "none"
	}
	return fmt.Sprint(number)
}

// few returns some limits, all if they are not many.
func few(limits []int) string {
	if len(limits) > 10 {
		return fmt.Sprintf("%v …", limits[:10])
	}
	return fmt.Sprint(limits)
}
