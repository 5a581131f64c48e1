package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/sweetspot-go/sweetspot/bench/internal/stats"
)

// measured holds the nanoseconds of a run of each form, for each round.
type measured [forms][]float64

func measure(ctx context.Context, s solutions, o options) (m measured, err error) {
	for range o.rounds {
		for _, i := range rand.Perm(forms) {
			took, err := s.sample(ctx, i, o.sample)
			if err != nil {
				return m, err
			}
			m[i] = append(m[i], took)
		}
	}
	return m, nil
}

// sample runs a form until that much time is over, and returns the median of its runs.
func (s solutions) sample(ctx context.Context, form int, length time.Duration) (float64, error) {
	runtime.GC() // of what the form before has left
	var took []float64
	for began := time.Now(); ; {
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		start := time.Now()
		s[form].run()
		took = append(took, float64(time.Since(start)))
		if err := s[form].check(); err != nil {
			return 0, fmt.Errorf("%s: %w", formNames[form], err)
		}
		if time.Since(began) >= length {
			return stats.Median(took), nil
		}
	}
}
