package temporallimit_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
	temporallimit "github.com/sweetspot-go/sweetspot/contrib/temporal"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
)

func TestTuneRefusesAnotherTuner(t *testing.T) {
	defer func() {
		if got, want := fmt.Sprint(recover()), "sweetspot: Tune of options with a tuner of type *internal.CompositeTuner: want none"; got != want {
			t.Errorf("panic %q, want %q", got, want)
		}
	}()
	(&temporallimit.Tuner{}).Tune(new(temporallimit.Tuner).Tune(worker.Options{}))
}

func TestTuneKeepsTheOtherOptions(t *testing.T) {
	others := make([]interceptor.WorkerInterceptor, 1, 5)
	others[0] = &interceptor.WorkerInterceptorBase{}
	tuner := &temporallimit.Tuner{}
	o := tuner.Tune(worker.Options{Identity: "me", Interceptors: others})
	if o.Identity != "me" || o.Tuner == nil || len(o.Interceptors) != 2 || o.Interceptors[1] != others[0] {
		t.Errorf("options %+v", o)
	}
	if others[:2][1] != nil {
		t.Error("the caller's slice was written to")
	}
}

func TestTunerSuppliers(t *testing.T) {
	l := sweetspot.New()
	own, err := worker.NewFixedSizeSlotSupplier(7)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name                   string
		tuner                  *temporallimit.Tuner
		local, workflow, nexus int // their MaxSlots
	}{
		{"zero", &temporallimit.Tuner{}, 1000, 1000, 1000},
		{"all", &temporallimit.Tuner{Activities: l, LocalActivities: sweetspot.New(), Workflows: own, Nexus: own}, 0, 7, 7},
		{"shared", &temporallimit.Tuner{Activities: l, LocalActivities: l}, 0, 1000, 1000},
	} {
		tuner := test.tuner.Tune(worker.Options{}).Tuner
		activities, local := tuner.GetActivityTaskSlotSupplier(), tuner.GetLocalActivitySlotSupplier()
		for _, kind := range []struct {
			name string
			s    worker.SlotSupplier
			want int
		}{
			{"activities", activities, 0},
			{"sessions", tuner.GetSessionActivitySlotSupplier(), 0},
			{"local activities", local, test.local},
			{"workflow tasks", tuner.GetWorkflowTaskSlotSupplier(), test.workflow},
			{"Nexus tasks", tuner.GetNexusSlotSupplier(), test.nexus},
		} {
			if got := kind.s.MaxSlots(); got != kind.want {
				t.Errorf("%s: %d slots for %s, want %d", test.name, got, kind.name, kind.want)
			}
		}
	}
}

// A poll brings tasks to its worker alone, and either local activities or others, so an
// idle one must not keep the others waiting whose task queue has the same name, maybe in
// another namespace.
func TestIdlePollsKeepOthersOfThatNameNotWaiting(t *testing.T) {
	for _, test := range []struct {
		name string
		pick func(a, b worker.WorkerTuner) (idle, wants worker.SlotSupplier)
	}{
		{"local activities", func(a, _ worker.WorkerTuner) (idle, wants worker.SlotSupplier) {
			return a.GetActivityTaskSlotSupplier(), a.GetLocalActivitySlotSupplier()
		}},
		{"activities", func(a, _ worker.WorkerTuner) (idle, wants worker.SlotSupplier) {
			return a.GetLocalActivitySlotSupplier(), a.GetActivityTaskSlotSupplier()
		}},
		{"activities of another worker", func(a, b worker.WorkerTuner) (idle, wants worker.SlotSupplier) {
			return a.GetActivityTaskSlotSupplier(), b.GetActivityTaskSlotSupplier()
		}},
		{"local activities of another worker", func(a, b worker.WorkerTuner) (idle, wants worker.SlotSupplier) {
			return a.GetLocalActivitySlotSupplier(), b.GetLocalActivitySlotSupplier()
		}},
	} {
		for limit := 1; limit <= 2; limit++ {
			for _, eager := range []bool{false, true} { // does not wait for a slot
				t.Run(fmt.Sprintf("%s, %d, eager %v", test.name, limit, eager), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						l := setTo(sweetspot.New(), limit)
						tuner := &temporallimit.Tuner{Activities: l, LocalActivities: l}
						s, other := test.pick(tuner.Tune(worker.Options{}).Tuner, tuner.Tune(worker.Options{}).Tuner)
						idleOthersOfThatName(t, l, limit, s, other, eager)
					})
				})
			}
		}
	}
}

func idleOthersOfThatName(t *testing.T, l *sweetspot.Limiter, limit int, s, other worker.SlotSupplier, eager bool) {
	var idle []*queued
	for range limit {
		idle = append(idle, reserveLater(t.Context(), s, "a"))
	}
	time.Sleep(temporallimit.IdleAfter)
	synctest.Wait()
	wants := new(queued)
	if eager {
		wants.permit = other.TryReserveSlot(info{queue: "a"})
		wants.done.Store(wants.permit != nil)
	} else {
		wants = reserveLater(t.Context(), other, "a")
	}
	synctest.Wait()
	if !wants.done.Load() {
		t.Fatal("no slot, though only others' polls are idle")
	}
	time.Sleep(temporallimit.IdleAfter)
	synctest.Wait()
	ctx, cancel := context.WithCancel(t.Context())
	later := []*queued{reserveLater(ctx, s, "a"), reserveLater(ctx, other, "a")}
	synctest.Wait()
	if later[0].done.Load() || later[1].done.Load() {
		t.Error("a second poll beyond the limit")
	}
	for _, q := range idle {
		s.MarkSlotUsed(info{permit: q.permit})
	}
	other.MarkSlotUsed(info{permit: wants.permit})
	synctest.Wait()
	inFlight(t, l, limit, 2, "with one task more than the limit")
	cancel()
	synctest.Wait()
	other.ReleaseSlot(releaseInfo{permit: wants.permit})
	for _, q := range idle {
		s.ReleaseSlot(releaseInfo{permit: q.permit})
	}
	check(t, l, 0, int64(limit)+1, 0)
	if n := temporallimit.Issued(s); n != 0 {
		t.Errorf("%d slots left", n)
	}
}

// The outcome of a local activity is not that of a slot of the others, though they share
// a limit.
func TestOutcomesOfBothKinds(t *testing.T) {
	l := setTo(sweetspot.New(), 2)
	o := (&temporallimit.Tuner{Activities: l, LocalActivities: l}).Tune(worker.Options{})
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(silent{})
	env := suite.NewTestActivityEnvironment().SetWorkerOptions(o)
	var queue string
	late := func(ctx context.Context) error {
		queue = activity.GetInfo(ctx).TaskQueue
		return context.DeadlineExceeded
	}
	env.RegisterActivity(late)
	run := func(local bool) {
		t.Helper()
		execute := env.ExecuteActivity
		if local {
			execute = env.ExecuteLocalActivity
		}
		if _, err := execute(late); err == nil {
			t.Error("the activity did not fail")
		}
	}
	run(true) // in no slot: to learn the queue
	for i, local := range []bool{true, false} {
		its, other := o.Tuner.GetLocalActivitySlotSupplier(), o.Tuner.GetActivityTaskSlotSupplier()
		if !local {
			its, other = other, its
		}
		a, b := its.TryReserveSlot(info{queue: queue}), other.TryReserveSlot(info{queue: queue})
		its.MarkSlotUsed(info{permit: a})
		other.MarkSlotUsed(info{permit: b}) // starts no activity
		run(local)
		other.ReleaseSlot(releaseInfo{permit: b})
		if n := l.Stats().Overloads; n != int64(i) {
			t.Errorf("local %v: the other kind's slot has the outcome", local)
		}
		its.ReleaseSlot(releaseInfo{permit: a})
		check(t, l, 0, int64(i+1), int64(i+1))
	}
}
