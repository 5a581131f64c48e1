package lab

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/sweetspot-go/sweetspot"
)

// A runAll is a way to do n runs, each given by its number. It returns when all
// that it began have ended.
type runAll func(ctx context.Context, n int, run func(ctx context.Context, i int) error) error

func allAtOnce(ctx context.Context, n int, run func(ctx context.Context, i int) error) error {
	errs := make([]error, n)
	goroutines(n, func(i int) { errs[i] = run(ctx, i) })
	return errors.Join(errs...)
}

// bySemaphore has one only for as many as there are CPUs.
func bySemaphore(ctx context.Context, n int, run func(ctx context.Context, i int) error) error {
	errs := make([]error, n)
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for i := range n {
		select {
		case <-ctx.Done():
			errs[i] = context.Cause(ctx)
			continue
		case free <- struct{}{}:
		}
		wg.Go(func() {
			defer func() { <-free }()
			errs[i] = run(ctx, i)
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// byForEach is the answer to them.
func byForEach(ctx context.Context, n int, run func(ctx context.Context, i int) error) error {
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = i
	}
	return sweetspot.ForEach(ctx, numbers, run)
}

func oneByOne(ctx context.Context, n int, run func(ctx context.Context, i int) error) error {
	for i := range n {
		if err := run(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

// slowUntil is the plain recursion of fib, but gives up once ctx is done. It looks
// at ctx every few microseconds.
func slowUntil(ctx context.Context, i int) (int, error) {
	const look = 15
	if err := ctx.Err(); err != nil {
		return 0, context.Cause(ctx)
	}
	if i <= look {
		return slow(i), nil
	}
	a, err := slowUntil(ctx, i-1)
	if err != nil {
		return 0, err
	}
	b, err := slowUntil(ctx, i-2)
	return a + b, err
}

// Ends say of each run how it ended.
type ends []struct {
	done, failed int
	late         bool  // done, but after the deadline
	wrong        error // of a result that is
}

// run does a run of fib(27) and notes it.
func (e ends) run(ctx context.Context, i int) error {
	got, err := slowUntil(ctx, fibOf)
	switch {
	case err != nil:
		e[i].failed++
	case got != fibResult:
		e[i].wrong = fmt.Errorf("run %d: fib(%d) is %d, want %d", i, fibOf, got, fibResult)
	default:
		e[i].done++
		deadline, limited := ctx.Deadline()
		e[i].late = limited && time.Now().After(deadline)
	}
	return err
}

// inTime returns how many were done before their deadline.
func (e ends) inTime() (n int) {
	for i := range e {
		if e[i].done > 0 && !e[i].late {
			n++
		}
	}
	return n
}

// settle returns how many were done. A run that was never begun has no end; none may have two.
func (e ends) settle() (done int, err error) {
	for i := range e {
		if e[i].wrong != nil {
			return 0, e[i].wrong
		}
		if e[i].done+e[i].failed > 1 {
			return 0, fmt.Errorf("run %d was done %d times and failed %d times, want one of the two once", i, e[i].done, e[i].failed)
		}
		done += e[i].done
	}
	return done, nil
}

// runsPoint measures all runs without a time limit. The figure is the time of
// all by their number.
func runsPoint(label string, ours bool, all runAll) point {
	return point{label: label, unit: "ns/run", ours: ours, set: func(n int) (task, error) {
		how := make(ends, n)
		return task{
			before: func() error {
				clear(how)
				return nil
			},
			run: func() error { return all(context.Background(), n, how.run) },
			check: func() error {
				done, err := how.settle()
				if err == nil && done != n {
					err = fmt.Errorf("%s: %d runs are done, want %d", label, done, n)
				}
				return err
			},
			figure: perOp(n),
		}, nil
	}}
}

// limitedPoints measure how many runs are done before a deadline at half the time that
// all CPUs together have just needed for all of them, and how much later all have ended.
// Go's timers run when a goroutine gives its CPU up, or is made to after 10 ms: those who
// compute learn late that their time is over, and what they do then does not count.
func limitedPoints(label string, ours bool, all runAll) []point {
	inTime := point{label: label + doneInTime, unit: "runs", ours: ours, aside: true, from: "D6: " + label, set: func(n int) (task, error) {
		how := make(ends, n)
		var limit, over time.Duration
		return task{
			before: func() error {
				clear(how)
				began := time.Now()
				err := bySemaphore(context.Background(), n, how.run)
				limit = time.Since(began) / 2
				clear(how)
				return err
			},
			run: func() error {
				ctx, cancel := context.WithTimeout(context.Background(), limit)
				defer cancel()
				deadline, _ := ctx.Deadline()
				err := all(ctx, n, how.run)
				over = max(0, time.Since(deadline))
				if !errors.Is(err, context.DeadlineExceeded) {
					return err
				}
				return nil
			},
			check:  func() error { _, err := how.settle(); return err },
			figure: func(time.Duration) float64 { return float64(how.inTime()) },
			aside:  func() aside { return aside{Extra: map[string]float64{overrun: milliseconds(over)}} },
		}, nil
	}}
	return []point{inTime, inTime.showing(label+overrun, "ms", overrun)}
}

const (
	doneInTime = ", done in time"
	overrun    = ", overrun"
)
