package temporallimit

import (
	"context"
	"errors"
	"slices"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/contrib/internal/adapter"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
)

// An execution is the run of an activity. The SDK says neither in which slot it is
// nor, when a slot is released, how its task ended; but a slot is marked before its
// activity starts, and released after it ended.
type execution struct {
	source  source
	started uint64          // in the order of the SlotSupplier
	ctx     context.Context // of a local activity, else nil
	ended   bool
	outcome sweetspot.Outcome
}

// result returns the outcome, and whether there is one. The slot of a local activity
// is released as soon as its context is done, though the activity may go on.
func (e *execution) result() (sweetspot.Outcome, bool) {
	switch {
	case e.ended:
		return e.outcome, true
	case e.ctx == nil || e.ctx.Err() == nil:
		return 0, false
	case errors.Is(e.ctx.Err(), context.DeadlineExceeded):
		return sweetspot.Overloaded, true
	}
	return sweetspot.Ignored, true
}

// start notes that an activity of a source starts. It returns nil if there is no
// slot that it could be in: then it is one of another worker, or one by which the SDK
// begins a session, which has slots of its own. Nor does it note a local activity that is
// given up already: its slot may be released, and another be there in its place. Its time
// was spent waiting for a slot, so it is no sign that too many run.
func (s *SlotSupplier) start(from source, local context.Context) *execution {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bare[from] == 0 || local != nil && local.Err() != nil {
		return nil
	}
	s.dress(from)
	s.order++
	e := &execution{source: from, started: s.order, ctx: local}
	s.open = append(s.open, e)
	return e
}

// dress notes that there is one less slot without a known activity.
func (s *SlotSupplier) dress(from source) {
	if s.bare[from]--; s.bare[from] == 0 {
		delete(s.bare, from)
	}
}

// end notes that an activity ended.
func (s *SlotSupplier) end(e *execution, o sweetspot.Outcome) {
	if e == nil {
		return
	}
	s.mu.Lock()
	e.ended, e.outcome = true, o
	s.mu.Unlock()
}

// outcome returns how the task of a slot that is released ended: as the activity
// that started first after the slot was marked, of those that are over. If it is
// that of another slot, that one was marked at nearly the same time, and has one
// that is over left for it. A task that reached no activity, since it was of an
// unknown type for instance, is ignored.
func (s *SlotSupplier) outcome(sl *slot) sweetspot.Outcome {
	own := -1 // most likely: the first that started after the slot was marked, else the last
	for i, e := range s.open {
		if e.source != sl.queue.source {
			continue
		}
		if own < 0 || s.open[own].started < sl.marked {
			own = i
		}
		if e.started < sl.marked {
			continue
		}
		if o, ok := e.result(); ok {
			s.open = slices.Delete(s.open, i, i+1)
			return o
		}
	}
	if s.bare[sl.queue.source] > 0 {
		s.dress(sl.queue.source)
	} else { // an interceptor before ours hides that the activity was given up
		s.open = slices.Delete(s.open, own, own+1)
	}
	if !s.judged {
		return sweetspot.Done
	}
	return sweetspot.Ignored
}

// Interceptor returns an interceptor that reports the outcomes of activities to s by
// their errors, with [ErrorOutcome] if classify is nil. Local says whether s has the
// local activities of the worker or the others. Put it into [worker.Options] before the
// worker is made; a [Tuner] has its own.
func (s *SlotSupplier) Interceptor(local bool, classify func(error) sweetspot.Outcome) interceptor.WorkerInterceptor {
	in := &workerInterceptor{classify: classify}
	if local {
		in.local.SlotSupplier = s
	} else {
		in.activities.SlotSupplier = s
	}
	in.watch()
	return in
}

type workerInterceptor struct {
	interceptor.WorkerInterceptorBase
	activities, local share // of no SlotSupplier: not watched
	classify          func(error) sweetspot.Outcome
}

func (in *workerInterceptor) watch() {
	for _, s := range []*SlotSupplier{in.activities.SlotSupplier, in.local.SlotSupplier} {
		if s != nil {
			s.mu.Lock()
			s.judged = true
			s.mu.Unlock()
		}
	}
}

// InterceptActivity is called for each activity.
func (in *workerInterceptor) InterceptActivity(_ context.Context, next interceptor.ActivityInboundInterceptor) interceptor.ActivityInboundInterceptor {
	a := &activityInterceptor{in: in}
	a.Next = next
	return a
}

type activityInterceptor struct {
	interceptor.ActivityInboundInterceptorBase
	in *workerInterceptor
}

// ExecuteActivity runs an activity.
func (a *activityInterceptor) ExecuteActivity(ctx context.Context, input *interceptor.ExecuteActivityInput) (any, error) {
	info := activity.GetInfo(ctx)
	s, local := a.in.activities, context.Context(nil)
	if info.IsLocalActivity {
		s, local = a.in.local, ctx
	}
	if s.SlotSupplier == nil {
		return a.Next.ExecuteActivity(ctx, input)
	}
	e, o := s.start(s.source(info.TaskQueue), local), sweetspot.Ignored
	defer func() { s.end(e, o) }() // a panic or a Goexit as well
	result, err := a.Next.ExecuteActivity(ctx, input)
	o = adapter.Judge(a.in.classify, ErrorOutcome, err)
	return result, err
}
