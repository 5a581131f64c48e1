package sweetspot_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/sweetspot-go/sweetspot"
)

func ExampleLimiter_Waits() {
	l := sweetspot.New(sweetspot.Name("writes"))
	l.SetLimit(1)
	l.Acquire(context.Background())
	time.AfterFunc(20*time.Millisecond, l.Release)
	l.Acquire(context.Background()) // waits
	w := l.Waits()
	fmt.Println(w.Count(), w.Sum >= 0.02)
	// Output: 1 true
}

// A dashboard counts decisions of each kind, also those that are too old for a list.
func ExampleLimiter_DecisionCounts() {
	l := sweetspot.New(sweetspot.Start(1))
	for n := range 300 {
		l.SetLimit(2 + n)
	}
	fmt.Println(len(l.Decisions()), "kept")
	for kind, n := range l.DecisionCounts() {
		fmt.Println(n, kind)
	}
	// Output:
	// 256 kept
	// 300 manual
}

func ExampleLogger() {
	// Without the time, for the sake of the example.
	h := slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}})
	l := sweetspot.New(sweetspot.Name("fetch"), sweetspot.Start(4), sweetspot.Logger(slog.New(h)))
	l.SetLimit(8)
	// Output: level=INFO msg="sweetspot: limit decided" limiter=fetch from=4 to=8 kind=manual why="4→8: set manually"
}

// Calls of a service: as many at a time as pay, while 99 in 100 take at most 100 ms.
func ExampleMaxP99() {
	l := sweetspot.New(sweetspot.Name("quotes"), sweetspot.MaxP99(100*time.Millisecond))
	err := l.Do(context.Background(), func(ctx context.Context) error { return nil })
	fmt.Println(err, l.Stats().Completed)
	// Output: <nil> 1
}
