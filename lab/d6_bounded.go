package lab

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/internal/humanize"
)

// If the semaphore takes less than littleGain times as long, all at once is said
// to gain nothing. An article that calls goroutines not free can be expected to
// show that not even a tenth is gained.
const littleGain = 1.1

func d6() *experiment {
	const (
		loop      = "one by one"
		atOnce    = "all at once"
		semaphore = "semaphore"
		forEach   = "ForEach"
	)
	type bound struct {
		label string
		all   runAll
		ours  bool
	}
	ways := []bound{{atOnce, allAtOnce, false}, {semaphore, bySemaphore, false}, {forEach, byForEach, true}}
	return &experiment{
		id: "D6", size: size{30, 1000, 1000, "runs"},
		points: func(scale) []point {
			return slices.Concat([]point{runsPoint(loop, false, oneByOne)},
				each(ways, func(w bound) point { return runsPoint(w.label, w.ours, w.all) }),
				concat(ways, func(w bound) []point { return limitedPoints(w.label, w.ours, w.all) }))
		},
		short: func(r *results) string {
			return fmt.Sprintf("Compared with the semaphore, ForEach takes %v the time%s. It also tries a limit of 1. Because of that, a CPU was idle for 24 to 38 ms of 354 to 405 ms in six calls on two CPUs of an AMD EPYC, "+
				"none of them the first in its process. This costs 3 to 5 %% of the time. All runs at once kept both CPUs busy, and so did two goroutines that took run after run.",
				ratio(r.at(forEach, 0), r.at(semaphore, 0)), toldApart(ratio(r.at(forEach, 0), r.at(semaphore, 0))))
		},
		judge: func(r *results) verdict {
			bounded := ratio(r.at(semaphore, 0), r.at(atOnce, 0))
			v := verdict{
				effect: bounded.below(littleGain),
				ours:   r.answer(),
			}
			v.words = says(v.effect, "all at once gains nothing", "all at once is faster",
				"whether all at once gains anything is undecided") +
				fmt.Sprintf(": with a semaphore the runs take %v the time", bounded)
			ended := func(label string) string {
				return fmt.Sprintf("%s of %s and ended %s ms late", humanize.Number(r.at(label+doneInTime, 0).Y), r.e.size.describe(r.e.size.at(r.scale)), humanize.Number(r.at(label+overrun, 0).Y))
			}
			v.notes = []string{
				fmt.Sprintf("All at once is %v as fast as one by one, with %s.", r.speedup(r.at(atOnce, 0), r.at(loop, 0)), humanize.Count(r.cpus, "CPUs")),
				fmt.Sprintf("With half the time needed, all at once has done %s, the semaphore %s, and ForEach %s. What was done after the deadline does not count.", ended(atOnce), ended(semaphore), ended(forEach)),
			}
			return v
		},
	}
}

// A runAll is a way to do n runs, each given by its number. It returns when all
// that it began have ended.
type runAll func(ctx context.Context, n int, run func(ctx context.Context, i int) error) error

func allAtOnce(ctx context.Context, n int, run func(ctx context.Context, i int) error) error {
	errs := make([]error, n)
	goroutines(n, func(i int) { errs[i] = run(ctx, i) })
	return errors.Join(errs...)
}

// bySemaphore has a goroutine only for as many runs as there are CPUs.
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

// ends say how each run ended.
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

// limitedPoints measure how many runs are done before a deadline, at half the time that
// all CPUs together have just needed for all of them, and how much later all have ended.
// Go's timers run when a goroutine gives up its CPU, or is preempted after 10 ms. So
// goroutines that compute learn late that their time is over, and what they do then does
// not count.
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
