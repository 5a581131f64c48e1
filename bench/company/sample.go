package main

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/sweetspot-go/sweetspot/bench/internal/load"
)

type sample struct {
	total  float64   // units/s of all
	rates  []float64 // units/s of each Limiter, or process
	limits []int     // at the end
	cpu    float64   // CPUs used
	others float64   // CPUs that processes other than ours used; 0 if unknown
}

// take measures a situation with a fixed number, or automatically if that is 0.
func (b *bench) take(ctx context.Context, s situation, number int, length time.Duration) (sample, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	c := s.crew
	c.Fixed, c.Seconds, c.Verbose = number, length.Seconds(), b.verbose && number == 0
	if c.Share != "" {
		c.Share = fmt.Sprintf("%s-%d", c.Share, os.Getpid()) // apart from another bench
	}
	if s.server != nil {
		var err error
		if c.Server, err = s.server.listen(ctx); err != nil {
			return sample{}, err
		}
	}
	results := make([]result, s.processes)
	before, began := load.Now(), time.Now()
	var all sync.WaitGroup
	for i := range s.processes {
		all.Go(func() {
			var err error
			if s.jobs > 0 {
				results[i], err = runJobs(ctx, b.binary, c, s.jobs)
			} else {
				results[i], err = launch(ctx, c)
			}
			if err != nil {
				cancel(fmt.Errorf("%s: %w", s.name, err)) // the others go by the first error
			}
		})
	}
	all.Wait()
	seconds := time.Since(began).Seconds()
	if ctx.Err() != nil {
		return sample{}, context.Cause(ctx)
	}
	m := sample{}
	m.others, _ = load.Now().OthersSince(before)
	for _, r := range results {
		m.rates = append(m.rates, r.Rates...)
		m.limits = append(m.limits, r.Limits...)
		m.cpu += r.CPU
	}
	for _, x := range m.rates {
		m.total += x
	}
	if s.jobs > 0 { // all are done when the last is
		m.total = float64(s.processes*s.jobs) / seconds
	}
	return m, nil
}

// jain returns R. Jain's index of fairness, (sum x)²/(n sum x²): 1 if all are the same.
func jain(xs []float64) float64 {
	sum, squares := 0.0, 0.0
	for _, x := range xs {
		sum += x
		squares += x * x
	}
	return sum * sum / (float64(len(xs)) * squares)
}
