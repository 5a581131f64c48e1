// Package errgroup is golang.org/x/sync/errgroup on a [sweetspot.Group]: change the
// import path, nothing else.
//
// These are the same: the zero Group, [WithContext], Go, TryGo, SetLimit and Wait, with
// the first error, the cancellation and its cause. Functions are started even after an
// error, panics end the program, and functions may call [runtime.Goexit].
//
// In addition:
//
//   - SetLimit may be called at any time, not only while no function runs. At 0 Go
//     waits until the limit is raised.
//   - GoContext stops waiting for its turn when a context is done.
//   - SetLimiter lets a Limiter find the number of running functions, and share it (see
//     below).
//   - A function that panics ends the program before Wait can return.
//   - With a limit, Go and Wait take 0.6 of the time for empty functions, and 0.85 for
//     functions of 1 µs, because a goroutine whose function has returned runs the next
//     waiting one.
//
// The last point also makes the only difference: with a limit, a function that waited
// for its turn does not always have a new goroutine. A function that ends with its
// thread locked ([runtime.LockOSThread]), so that nothing else ever runs on that
// thread, must start a goroutine for that itself. And such a function does not always
// have the profiler labels of the goroutine that called Go.
//
// # Governed
//
// Instead of a guessed number, give the Group a Limiter. It finds the number with the
// most throughput, and follows when it changes:
//
//	var disk = sweetspot.New() // one for all that use the disk
//
//	g, ctx := errgroup.WithContext(ctx)
//	g.SetLimiter(disk)         // was: g.SetLimit(20)
//	for _, path := range paths {
//		g.Go(func() error { return hash(ctx, path) })
//	}
//	return g.Wait()
//
// Make the Limiter once and keep it, because it holds what has been learnt. If both
// limits are set, both apply.
package errgroup

import (
	"context"

	"github.com/sweetspot-go/sweetspot"
)

// A Group is a set of functions that run at the same time and work on one task.
// The zero Group is valid, has no limit, and does not cancel on error.
type Group = sweetspot.Group

// WithContext returns a new Group and a context derived from ctx. The context is
// cancelled, with the error as its cause, when a function of the Group first
// returns an error, or else when Wait first returns.
func WithContext(ctx context.Context) (*Group, context.Context) {
	return sweetspot.NewGroup(ctx)
}
