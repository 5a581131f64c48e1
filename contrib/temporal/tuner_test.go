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
	if o.Identity != "me" || o.Tuner != tuner.Tune(worker.Options{}).Tuner || len(o.Interceptors) != 2 || o.Interceptors[1] != others[0] {
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

// The tasks of a worker's local activities and of its others come from different queues
// of the same name, so the idle polls of one kind must not keep the other waiting.
func TestIdlePollsKeepOtherKindNotWaiting(t *testing.T) {
	for _, test := range []struct {
		name         string
		limit        int
		local, eager bool // the first kind is local; the second does not wait for a slot
	}{
		{"local activities, 1", 1, false, false},
		{"local activities, 2", 2, false, false},
		{"activities, 1", 1, true, false},
		{"activities, 2", 2, true, false},
		{"eager activities, 1", 1, true, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := setTo(sweetspot.New(), test.limit)
				tuner := (&temporallimit.Tuner{Activities: l, LocalActivities: l}).Tune(worker.Options{}).Tuner
				first, second := tuner.GetActivityTaskSlotSupplier(), tuner.GetLocalActivitySlotSupplier()
				if test.local {
					first, second = second, first
				}
				var all []*queued
				for range test.limit {
					all = append(all, reserveLater(t.Context(), first, "a"))
				}
				time.Sleep(temporallimit.IdleAfter)
				synctest.Wait()
				other := new(queued)
				if test.eager {
					other.permit = second.TryReserveSlot(info{queue: "a"})
					other.done.Store(other.permit != nil)
				} else {
					other = reserveLater(t.Context(), second, "a")
				}
				synctest.Wait()
				if !other.done.Load() {
					t.Fatal("no slot, though only polls of the other kind are idle")
				}
				time.Sleep(temporallimit.IdleAfter)
				synctest.Wait()
				ctx, cancel := context.WithCancel(t.Context())
				later := []*queued{reserveLater(ctx, first, "a"), reserveLater(ctx, second, "a")}
				synctest.Wait()
				if later[0].done.Load() || later[1].done.Load() {
					t.Error("a second poll beyond the limit")
				}
				for _, q := range all {
					first.MarkSlotUsed(info{permit: q.permit})
				}
				second.MarkSlotUsed(info{permit: other.permit})
				synctest.Wait()
				inFlight(t, l, test.limit, 2, "with one task more than the limit")
				cancel()
				synctest.Wait()
				second.ReleaseSlot(releaseInfo{permit: other.permit})
				for _, q := range all {
					first.ReleaseSlot(releaseInfo{permit: q.permit})
				}
				check(t, l, 0, int64(test.limit)+1, 0)
				if n := temporallimit.Issued(tuner.GetActivityTaskSlotSupplier()); n != 0 {
					t.Errorf("%d slots left", n)
				}
			})
		})
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
