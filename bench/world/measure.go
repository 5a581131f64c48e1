package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/internal/pause"
)

const (
	// lookEvery is short beside the second or more that a limit stands, and long
	// beside the microseconds that a look takes.
	lookEvery = 50 * time.Millisecond
	// refusedPause is how long a caller waits after a refusal, without a permit:
	// clients that ask again at once measure how fast a server refuses.
	refusedPause = 20 * time.Millisecond
	// endWithin is how long the units in flight at the end may take.
	endWithin = time.Minute
)

// newLimiter returns a Limiter that has seen nothing yet.
func newLimiter(options ...sweetspot.LimiterOption) *sweetspot.Limiter {
	return sweetspot.New(append(options, sweetspot.Classify(classify))...)
}

func classify(err error) sweetspot.Outcome {
	switch {
	case err == nil:
		return sweetspot.Done
	case errors.Is(err, errRefused):
		return sweetspot.Overloaded
	}
	return sweetspot.Ignored
}

// measure lets callers send units through l for a time, and returns when all have
// ended. A unit that fails otherwise than by a refusal ends it: none should.
func measure(ctx context.Context, l *sweetspot.Limiter, callers int, u unit, length time.Duration) (trace, error) {
	life, cancel := context.WithTimeoutCause(ctx, length+endWithin,
		fmt.Errorf("units did not end within %v", endWithin))
	defer cancel()
	run, stop := context.WithCancelCause(life)
	defer stop(nil)

	var all sync.WaitGroup
	for range callers {
		all.Go(func() {
			for run.Err() == nil {
				// The unit outlives the end of the run: a query that is cancelled costs
				// its connection.
				err := l.Do(run, func(context.Context) error { return u(life) })
				switch {
				case errors.Is(err, errRefused):
					_ = pause.Sleep(run, refusedPause) // the loop ends with run
				case err != nil:
					stop(fmt.Errorf("a unit failed: %w", err)) // of no effect after the end
				}
			}
		})
	}
	t := follow(run, l, length)
	stop(errOver)
	all.Wait()
	if cause := context.Cause(run); !errors.Is(cause, errOver) {
		return nil, cause
	}
	return t, context.Cause(life)
}

// errOver says that the time of a measurement is over.
var errOver = errors.New("the time is over")

// follow looks at l until a time is over or ctx is done.
func follow(ctx context.Context, l *sweetspot.Limiter, length time.Duration) trace {
	began := time.Now()
	t := trace{{limit: l.Limit()}}
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return t
		case <-ticker.C:
		}
		// The counters and the clock are read together, however late.
		s, at := l.Stats(), time.Since(began)
		t = append(t, point{at: at.Seconds(), done: s.Completed, refused: s.Overloads, limit: s.Limit})
		if at >= length {
			return t
		}
	}
}
