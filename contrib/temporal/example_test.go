package temporallimit_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/sweetspot-go/sweetspot"
	temporallimit "github.com/sweetspot-go/sweetspot/contrib/temporal"
	"github.com/sweetspot-go/sweetspot/control"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
)

func ExampleTuner() {
	c, err := client.NewLazyClient(client.Options{HostPort: "temporal.example:7233", Logger: silent{}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	tuner := &temporallimit.Tuner{Activities: sweetspot.New(
		sweetspot.Name("orders"), sweetspot.Controller(control.NewOverload(control.NewLatency())))}
	w := worker.New(c, "orders", tuner.Tune(worker.Options{MaxConcurrentActivityTaskPollers: 5}))
	// Register activities and workflows, and run the worker.
	_ = w
	fmt.Println(tuner.Activities.Name(), tuner.Activities.Stats().InFlight)
	// Output: orders 0
}

func ExampleTuner_Tune() {
	tuner := &temporallimit.Tuner{Activities: sweetspot.New(sweetspot.Max(50))} // in place of MaxConcurrentActivityExecutionSize
	o := tuner.Tune(worker.Options{Identity: "me"})
	fmt.Println(o.Identity, o.Tuner != nil, len(o.Interceptors))
	// Output: me true 1
}

// For a tuner whose other slots come from elsewhere.
func ExampleNewSlotSupplier() {
	others, err := worker.NewFixedSizeSlotSupplier(100)
	if err != nil {
		fmt.Println(err)
		return
	}
	activities := temporallimit.NewSlotSupplier(sweetspot.New(sweetspot.Start(8)))
	tuner, err := worker.NewCompositeTuner(worker.CompositeTunerOptions{
		WorkflowSlotSupplier: others, ActivitySlotSupplier: activities,
		LocalActivitySlotSupplier: others, NexusSlotSupplier: others, SessionActivitySlotSupplier: others,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	o := worker.Options{
		Tuner:        tuner,
		Interceptors: []interceptor.WorkerInterceptor{activities.Interceptor(false, nil)},
	}
	fmt.Println(o.Tuner == tuner, activities.Limiter().Limit())
	// Output: true 8
}

func ExampleSlotSupplier_Interceptor() {
	s := temporallimit.NewSlotSupplier(sweetspot.New())
	o := worker.Options{Interceptors: []interceptor.WorkerInterceptor{s.Interceptor(false, temporallimit.ErrorOutcome)}}
	fmt.Println(len(o.Interceptors))
	// Output: 1
}

func ExampleSlotSupplier_Limiter() {
	s := temporallimit.NewSlotSupplier(sweetspot.New(sweetspot.Name("orders")))
	fmt.Println(s.Limiter().Name())
	// Output: orders
}

// The SDK does this before each poll.
func ExampleSlotSupplier_ReserveSlot() {
	s := temporallimit.NewSlotSupplier(sweetspot.New(sweetspot.Max(1)))
	ctx, cancel := context.WithCancel(context.Background())
	permit, err := s.ReserveSlot(ctx, info{queue: "orders"})
	fmt.Println(permit != nil, err)
	cancel()
	_, err = s.ReserveSlot(ctx, info{queue: "orders"})
	fmt.Println(err)
	// Output:
	// true <nil>
	// context canceled
}

func ExampleSlotSupplier_TryReserveSlot() {
	s := temporallimit.NewSlotSupplier(sweetspot.New(sweetspot.Max(1)))
	fmt.Println(s.TryReserveSlot(info{queue: "orders"}) != nil, s.TryReserveSlot(info{queue: "orders"}) != nil)
	// Output: true false
}

func ExampleSlotSupplier_MarkSlotUsed() {
	s := temporallimit.NewSlotSupplier(sweetspot.New(sweetspot.Max(1)))
	permit := s.TryReserveSlot(info{queue: "orders"})
	s.MarkSlotUsed(info{permit: permit})
	fmt.Println(s.Limiter().Stats().InFlight)
	// Output: 1
}

func ExampleSlotSupplier_ReleaseSlot() {
	s := temporallimit.NewSlotSupplier(sweetspot.New(sweetspot.Max(1)))
	permit := s.TryReserveSlot(info{queue: "orders"})
	s.MarkSlotUsed(info{permit: permit})
	s.ReleaseSlot(releaseInfo{permit: permit})
	fmt.Println(s.Limiter().Stats().Completed)
	// Output: 1
}

func ExampleSlotSupplier_MaxSlots() {
	s := temporallimit.NewSlotSupplier(sweetspot.New())
	fmt.Println(s.MaxSlots()) // not known
	// Output: 0
}

func ExampleErrorOutcome() {
	errBusy := errors.New("too many at a time")
	tuner := &temporallimit.Tuner{Classify: func(err error) sweetspot.Outcome {
		if errors.Is(err, errBusy) {
			return sweetspot.Overloaded
		}
		return temporallimit.ErrorOutcome(err)
	}}
	err := temporal.NewApplicationErrorWithCause("charge", "payment", errBusy)
	fmt.Println(tuner.Classify(err) == sweetspot.Overloaded)
	// Output: true
}
