package riverlimit

import (
	"context"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"github.com/sweetspot-go/sweetspot"
)

// A Middleware works jobs under permits of a Limiter.
type Middleware struct {
	river.MiddlewareDefaults
	limiter *sweetspot.Limiter
}

var _ rivertype.WorkerMiddleware = (*Middleware)(nil)

// NewMiddleware returns a middleware for [river.Config]. Put it last among others, so that
// what they measure includes the wait for a permit, or first, so that it does not. It
// panics if limiter is nil.
func NewMiddleware(limiter *sweetspot.Limiter) *Middleware {
	if limiter == nil {
		panic("sweetspot: NewMiddleware without a Limiter: want one, such as sweetspot.New()")
	}
	return &Middleware{limiter: limiter}
}

// Work is called by river for each job. It waits for a permit and then works the job, with
// a ctx that carries the permit (see [sweetspot.Limiter.Do]). If ctx is done first it
// returns the cause. From that, river recognises a job that was cancelled, or that a stop
// puts back.
func (m *Middleware) Work(ctx context.Context, _ *rivertype.JobRow, doInner func(context.Context) error) error {
	return m.limiter.Do(ctx, func(ctx context.Context) error {
		// A stop that ends the jobs that run gives their permits to those that wait.
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return doInner(ctx)
	})
}
