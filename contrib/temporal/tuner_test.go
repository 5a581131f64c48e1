package temporallimit_test

import (
	"fmt"
	"testing"

	"github.com/sweetspot-go/sweetspot"
	temporallimit "github.com/sweetspot-go/sweetspot/contrib/temporal"
	"go.temporal.io/sdk/interceptor"
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
		if shared := activities == local; shared != (test.name == "shared") {
			t.Errorf("%s: local activities share the slots of the others: %v", test.name, shared)
		}
	}
}
