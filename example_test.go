package sweetspot_test

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/sense"
)

// Fifty downloads, as many at a time as pays.
func Example() {
	l := sweetspot.New()
	ctx := context.Background()

	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			err := l.Do(ctx, func(ctx context.Context) error {
				return download(ctx)
			})
			if err != nil {
				fmt.Println(err)
			}
		})
	}
	wg.Wait()
	fmt.Println(l.Stats().Completed, "done")
	// Output: 50 done
}

func download(context.Context) error { return nil }

// The producer waits, so that there are no more goroutines than permits.
func Example_producer() {
	l := sweetspot.New()
	ctx := context.Background()

	var wg sync.WaitGroup
	for range 50 {
		if err := l.Acquire(ctx); err != nil {
			break
		}
		wg.Go(func() {
			defer l.Release()
			// work
		})
	}
	wg.Wait()
	fmt.Println(l.Stats().Completed, "done")
	// Output: 50 done
}

func ExampleNew() {
	l := sweetspot.New(
		sweetspot.Name("thumbnails"),
		sweetspot.Start(4),
		sweetspot.Max(64),
	)
	fmt.Println(l.Name(), "starts at", l.Limit())
	// Output: thumbnails starts at 4
}

func ExampleLimiter_Acquire() {
	l := sweetspot.New()
	l.SetLimit(1)
	ctx, cancel := context.WithCancelCause(context.Background())

	fmt.Println(l.Acquire(ctx)) // the permit is ours
	cancel(errors.New("shutting down"))
	fmt.Println(l.Acquire(ctx)) // nothing is held
	l.Release()
	// Output:
	// <nil>
	// shutting down
}

func ExampleLimiter_TryAcquire() {
	l := sweetspot.New()
	l.SetLimit(2)
	fmt.Println(l.TryAcquire(), l.TryAcquire(), l.TryAcquire())
	// Output: true true false
}

func ExampleLimiter_Release() {
	l := sweetspot.New()
	l.TryAcquire()
	l.Release()
	fmt.Println(l.Stats().Completed)
	// Output: 1
}

func ExampleUnit_End() {
	l := sweetspot.New(sweetspot.Start(3))
	a, _ := l.TryBegin()
	b, _ := l.TryBegin()
	c, _ := l.TryBegin()
	a.End(sweetspot.Done, 1)
	b.End(sweetspot.Ignored, 1)    // the file was not there
	c.End(sweetspot.Overloaded, 1) // 429 Too Many Requests
	s := l.Stats()
	fmt.Println(s.Completed, "done,", s.Ignored, "ignored,", s.Overloads, "overloaded")
	// Output: 1 done, 1 ignored, 1 overloaded
}

// Files of all sizes are compared by their bytes.
func ExampleUnit_End_weight() {
	l := sweetspot.New()
	for _, bytes := range []int{120, 5_000_000, 700} {
		if u, ok := l.TryBegin(); ok {
			u.End(sweetspot.Done, bytes)
		}
	}
	fmt.Println(l.Stats().Completed)
	// Output: 3
}

func ExampleLimiter_Do() {
	l := sweetspot.New()
	err := l.Do(context.Background(), func(ctx context.Context) error {
		return errors.New("not found")
	})
	fmt.Println(err)
	// Output: not found
}

// A function that calls itself needs one permit, however deep it goes.
func ExampleLimiter_Do_nested() {
	l := sweetspot.New()
	l.SetLimit(1)
	var walk func(ctx context.Context, depth int) error
	walk = func(ctx context.Context, depth int) error {
		return l.Do(ctx, func(ctx context.Context) error {
			if depth == 3 {
				fmt.Println(l.Stats().InFlight, "in flight")
				return nil
			}
			return walk(ctx, depth+1)
		})
	}
	walk(context.Background(), 0)
	// Output: 1 in flight
}

// An engine that has no function to wrap times its units itself.
func ExampleLimiter_Begin() {
	l := sweetspot.New()
	started := make(chan sweetspot.Unit)
	go func() {
		u, err := l.Begin(context.Background())
		if err != nil {
			panic(err)
		}
		started <- u
	}()
	u := <-started
	// the work comes to an end elsewhere
	u.End(sweetspot.Done, 1)
	fmt.Println(l.Stats().Completed)
	// Output: 1
}

func ExampleLimiter_TryBegin() {
	l := sweetspot.New(sweetspot.Start(1))
	u, ok := l.TryBegin()
	_, second := l.TryBegin()
	fmt.Println(ok, second)
	u.End(sweetspot.Done, 1)
	// Output: true false
}

// A consumer takes a permit first, so that a message which nobody can work on stays in the
// queue. The wait for the message is not part of the work.
func ExampleUnit_Restart() {
	l := sweetspot.New()
	messages := make(chan string, 1)
	messages <- "hello"
	u, err := l.Begin(context.Background())
	if err != nil {
		panic(err)
	}
	m := <-messages
	u = u.Restart()
	fmt.Println(m)
	u.End(sweetspot.Done, 1)
	// Output: hello
}

func ExampleLimiter_SetLimit() {
	l := sweetspot.New(sweetspot.Start(8))
	l.SetLimit(2)
	for _, c := range l.Decisions() {
		fmt.Println(c.Reason)
	}
	// Output: 8→2: set manually
}

func ExampleLimiter_Auto() {
	l := sweetspot.New()
	l.SetLimit(2)
	fmt.Println(l.Stats().Manual)
	l.Auto() // the law decides again
	fmt.Println(l.Stats().Manual)
	// Output:
	// true
	// false
}

func ExampleLimiter_Limit() {
	l := sweetspot.New(sweetspot.Start(8), sweetspot.Max(6))
	fmt.Println(l.Limit())
	// Output: 6
}

func ExampleLimiter_Name() {
	fmt.Println(sweetspot.New(sweetspot.Name("images")).Name())
	// Output: images
}

func ExampleLimiter_Stats() {
	l := sweetspot.New()
	l.SetLimit(4)
	l.TryAcquire()
	l.TryAcquire()
	l.Release()
	s := l.Stats()
	fmt.Printf("%d of %d in flight, %d waiting, %d completed\n", s.InFlight, s.Limit, s.Waiting, s.Completed)
	// Output: 1 of 4 in flight, 0 waiting, 1 completed
}

// What was tried and found, in words.
func ExampleLimiter_Decisions() {
	l := sweetspot.New(sweetspot.Start(3))
	l.SetLimit(5)
	l.SetLimit(2)
	for _, c := range l.Decisions() {
		fmt.Println(c.Seq, c.From, c.To, c.Reason)
	}
	// Output:
	// 1 3 5 3→5: set manually
	// 2 5 2 5→2: set manually
}

func ExampleMin() {
	l := sweetspot.New(sweetspot.Start(1), sweetspot.Min(4))
	fmt.Println(l.Limit())
	// Output: 4
}

// Not more than the database has connections.
func ExampleMax() {
	l := sweetspot.New(sweetspot.Start(100), sweetspot.Max(20))
	fmt.Println(l.Limit())
	// Output: 20
}

func ExampleStart() {
	l := sweetspot.New(sweetspot.Start(32))
	fmt.Println(l.Limit())
	// Output: 32
}

func ExampleName() {
	fmt.Println(sweetspot.New(sweetspot.Name("mail")).Name())
	// Output: mail
}

// The basic law of the article, with a target of 90 % CPU usage.
func ExampleController() {
	l := sweetspot.New(sweetspot.Controller(control.NewStep(90)), sweetspot.Start(1))
	fmt.Println(l.Limit())
	// Output: 1
}

// quarter is the sensor of a tenant that may use a quarter of a machine.
type quarter struct{ whole sense.Sensor }

func (q quarter) Sense(inFlight int) sense.Sample {
	s := q.whole.Sense(inFlight)
	s.CPUs /= 4
	s.MachineCPU = s.OwnCPU // the others use their own share
	return s
}

func ExampleSensor() {
	l := sweetspot.New(sweetspot.Sensor(quarter{sense.NewProcess()}))
	l.Do(context.Background(), func(context.Context) error { return nil })
	fmt.Println(l.Stats().Completed)
	// Output: 1
}

// What would it do? The limit stays until you trust it.
func ExampleObserve() {
	l := sweetspot.New(sweetspot.Start(10), sweetspot.Observe())
	l.Do(context.Background(), func(context.Context) error { return nil })
	fmt.Println(l.Limit()) // l.Decisions() says what it would try
	// Output: 10
}

var errTooMany = errors.New("429 Too Many Requests")

func ExampleClassify() {
	l := sweetspot.New(sweetspot.Classify(func(err error) sweetspot.Outcome {
		switch {
		case err == nil:
			return sweetspot.Done
		case errors.Is(err, errTooMany), errors.Is(err, context.DeadlineExceeded):
			return sweetspot.Overloaded
		}
		return sweetspot.Ignored
	}))
	for _, err := range []error{nil, errTooMany, errors.New("not found"), nil} {
		l.Do(context.Background(), func(context.Context) error { return err })
	}
	s := l.Stats()
	fmt.Println(s.Completed, "done,", s.Ignored, "ignored,", s.Overloads, "overloaded")
	// Output: 2 done, 1 ignored, 1 overloaded
}
