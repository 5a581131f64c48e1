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

// A Tuner runs the best number of activities at a time. [Tuner.Tune] sets it up in the
// options of a worker. The zero Tuner is ready to use. One Tuner for several workers
// governs all of them together.
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
	activities, local *SlotSupplier                // local is nil if nothing is told of these
	slots             worker.CompositeTunerOptions // the others
}

// sdkDefault is the number of slots of each kind in a worker without options.
const sdkDefault = 1000

func (t *Tuner) init() {
	l := t.Activities
	if l == nil {
		l = sweetspot.New(sweetspot.Controller(control.NewOverload(control.NewLatency())))
	}
	t.activities = NewSlotSupplier(l)
	t.slots = worker.CompositeTunerOptions{
		WorkflowSlotSupplier: orFixed(t.Workflows), NexusSlotSupplier: orFixed(t.Nexus),
	}
	switch t.LocalActivities {
	case nil:
		t.slots.LocalActivitySlotSupplier = orFixed(nil)
	case l:
		t.local = t.activities
	default:
		t.local = NewSlotSupplier(t.LocalActivities)
	}
}

// orFixed returns s or, if that is nil, as many slots as the SDK has by default.
func orFixed(s worker.SlotSupplier) worker.SlotSupplier {
	if s != nil {
		return s
	}
	s, err := worker.NewFixedSizeSlotSupplier(sdkDefault)
	if err != nil {
		panic(fmt.Sprintf("sweetspot: a supplier of %d slots: %v", sdkDefault, err))
	}
	return s
}

// Tune returns o, the options of one worker, with a tuner, and with an interceptor that
// reports the outcomes of activities, before those that o has: they are part of what it
// measures. It panics if o has another tuner. If o fixes the number of slots, making the
// worker panics.
func (t *Tuner) Tune(o worker.Options) worker.Options {
	if o.Tuner != nil {
		panic(fmt.Sprintf("sweetspot: Tune of options with a tuner of type %T: want none", o.Tuner))
	}
	t.once.Do(t.init)
	in, all := &workerInterceptor{activities: t.activities.share(), classify: t.Classify}, t.slots
	// What an activity needs is not another in a session.
	all.ActivitySlotSupplier, all.SessionActivitySlotSupplier = in.activities, in.activities
	if t.local != nil {
		in.local = t.local.share()
		all.LocalActivitySlotSupplier = in.local
	}
	in.watch()
	var err error
	if o.Tuner, err = worker.NewCompositeTuner(all); err != nil {
		panic(fmt.Sprintf("sweetspot: a tuner of %+v: %v", all, err))
	}
	o.Interceptors = slices.Insert(slices.Clone(o.Interceptors), 0, interceptor.WorkerInterceptor(in))
	return o
}
