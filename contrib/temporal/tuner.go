package temporallimit

import (
	"fmt"
	"slices"
	"sync"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/control"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/worker"
)

// A Tuner runs the best number of activities at a time. It is a [worker.WorkerTuner];
// [Tuner.Tune] puts it into the options of a worker, together with the interceptor that
// reports the outcomes of activities. The zero Tuner is ready to use. One Tuner for
// several workers governs all of them together.
//
// A Tuner must not be copied, and its fields must not be changed after the first call.
type Tuner struct {
	// Activities admits activities, also those in sessions; nil is
	//
	//	sweetspot.New(sweetspot.Controller(control.NewOverload(control.NewLatency())))
	//
	// which keeps tasks waiting in Temporal's queue, not in front of the service that
	// the activities call. The default law of a Limiter has the same throughput. But
	// every few seconds it tries far above the limit, and then they do wait.
	Activities *sweetspot.Limiter

	// LocalActivities admits local activities; nil limits them as the SDK does by
	// default. It may be the same as Activities.
	LocalActivities *sweetspot.Limiter

	// Workflows and Nexus supply the slots of workflow and Nexus tasks; nil limits
	// them as the SDK does by default.
	Workflows, Nexus worker.SlotSupplier

	// Classify says what became of an activity by its error; nil is [ErrorOutcome],
	// to which it may also leave what it does not know.
	Classify func(error) sweetspot.Outcome

	once              sync.Once
	activities        *SlotSupplier
	locals            worker.SlotSupplier
	workflows, nexus  worker.SlotSupplier
	workerInterceptor *workerInterceptor
}

// sdkDefault is the number of slots of each kind in a worker without options.
const sdkDefault = 1000

func (t *Tuner) init() {
	l := t.Activities
	if l == nil {
		l = sweetspot.New(sweetspot.Controller(control.NewOverload(control.NewLatency())))
	}
	t.activities = NewSlotSupplier(l)
	t.workerInterceptor = &workerInterceptor{activities: t.activities, classify: t.Classify}
	switch t.LocalActivities {
	case nil:
		t.locals = fixed()
	case l:
		t.locals, t.workerInterceptor.local = t.activities, t.activities
	default:
		s := NewSlotSupplier(t.LocalActivities)
		t.locals, t.workerInterceptor.local = s, s
	}
	t.workerInterceptor.watch()
	if t.workflows = t.Workflows; t.workflows == nil {
		t.workflows = fixed()
	}
	if t.nexus = t.Nexus; t.nexus == nil {
		t.nexus = fixed()
	}
}

func fixed() worker.SlotSupplier {
	s, err := worker.NewFixedSizeSlotSupplier(sdkDefault)
	if err != nil {
		panic(fmt.Sprintf("sweetspot: a supplier of %d slots: %v", sdkDefault, err))
	}
	return s
}

// Tune returns o with t as its tuner and its interceptor, before those that o has: they
// are part of what it measures. It panics if o has another tuner or fixes the number of
// slots, because a worker would refuse that.
func (t *Tuner) Tune(o worker.Options) worker.Options {
	if o.Tuner != nil {
		panic(fmt.Sprintf("sweetspot: Tune of options with a tuner of type %T: want none", o.Tuner))
	}
	for _, f := range []struct {
		name string
		n    int
	}{
		{"MaxConcurrentActivityExecutionSize", o.MaxConcurrentActivityExecutionSize},
		{"MaxConcurrentLocalActivityExecutionSize", o.MaxConcurrentLocalActivityExecutionSize},
		{"MaxConcurrentWorkflowTaskExecutionSize", o.MaxConcurrentWorkflowTaskExecutionSize},
		{"MaxConcurrentNexusTaskExecutionSize", o.MaxConcurrentNexusTaskExecutionSize},
	} {
		if f.n != 0 {
			panic(fmt.Sprintf("sweetspot: Tune of options with %s %d: want 0, and sweetspot.Max for a bound of activities", f.name, f.n))
		}
	}
	o.Tuner = t
	o.Interceptors = slices.Insert(slices.Clone(o.Interceptors), 0, t.Interceptor())
	return o
}

// Interceptor returns the interceptor that t needs in the options of its worker.
func (t *Tuner) Interceptor() interceptor.WorkerInterceptor {
	t.once.Do(t.init)
	return t.workerInterceptor
}

// GetActivityTaskSlotSupplier returns a [*SlotSupplier] on Activities.
func (t *Tuner) GetActivityTaskSlotSupplier() worker.SlotSupplier {
	t.once.Do(t.init)
	return t.activities
}

// GetSessionActivitySlotSupplier returns the same as
// [Tuner.GetActivityTaskSlotSupplier], because activities need the same in a session.
func (t *Tuner) GetSessionActivitySlotSupplier() worker.SlotSupplier {
	return t.GetActivityTaskSlotSupplier()
}

// GetLocalActivitySlotSupplier returns a [*SlotSupplier] on LocalActivities, if there
// is one.
func (t *Tuner) GetLocalActivitySlotSupplier() worker.SlotSupplier {
	t.once.Do(t.init)
	return t.locals
}

// GetWorkflowTaskSlotSupplier returns Workflows, or 1000 slots.
func (t *Tuner) GetWorkflowTaskSlotSupplier() worker.SlotSupplier {
	t.once.Do(t.init)
	return t.workflows
}

// GetNexusSlotSupplier returns Nexus, or 1000 slots.
func (t *Tuner) GetNexusSlotSupplier() worker.SlotSupplier {
	t.once.Do(t.init)
	return t.nexus
}
