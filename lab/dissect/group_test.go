package dissect_test

import (
	"testing"

	"github.com/sweetspot-go/sweetspot/lab/dissect"
)

func TestGroupOf(t *testing.T) {
	for _, c := range []struct {
		want  dissect.Group
		stack []string // callees first
	}{
		{dissect.Own, []string{"main.work", "main.main"}},
		{dissect.Own, []string{"strconv.FormatUint", "main.work"}},
		{dissect.Own, []string{"github.com/a/b.(*T).f", "main.work"}},
		{dissect.Rest, []string{"runtime.memmove", "main.work"}},
		{dissect.Rest, []string{"memeqbody", "main.work"}},
		{dissect.Rest, []string{"internal/runtime/maps.(*Map).Get", "runtime.mapaccess2", "main.work"}},
		{dissect.Allocation, []string{"runtime.memmove", "runtime.slicebytetostring", "main.work"}},
		{dissect.Allocation, []string{"runtime.nextFreeFast", "runtime.mallocgcTiny", "runtime.mallocgc", "main.work"}},
		{dissect.Collection, []string{"runtime.scanobject", "runtime.gcDrain", "runtime.gcAssistAlloc", "runtime.mallocgc", "main.work"}},
		{dissect.Collection, []string{"runtime.futex", "runtime.systemstack", "runtime.gcBgMarkWorker"}},
		{dissect.Channels, []string{"runtime.lock2", "runtime.chansend", "runtime.chansend1", "main.work"}},
		{dissect.Channels, []string{"sync.(*Mutex).Lock", "main.work"}},
		{dissect.Channels, []string{"runtime.cansemacquire", "runtime.semacquire1", "sync.(*WaitGroup).Wait", "main.work"}},
		{dissect.Scheduling, []string{"runtime.futex", "runtime.futexwakeup", "runtime.wakep", "runtime.ready", "runtime.goready", "runtime.send", "runtime.chansend", "main.work"}},
		{dissect.Scheduling, []string{"runtime.futex", "runtime.futexsleep", "runtime.notesleep", "runtime.stopm", "runtime.findRunnable", "runtime.schedule", "runtime.park_m", "runtime.mcall"}},
		{dissect.Scheduling, []string{"runtime.usleep", "runtime.sysmon", "runtime.mstart1"}},
		{dissect.Scheduling, []string{"runtime.newproc1", "runtime.newproc", "main.work"}},
	} {
		if got := dissect.GroupOf(c.stack...); got != c.want {
			t.Errorf("%v is %s, want %s", c.stack, got, c.want)
		}
	}
}
