package temporallimit_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot"
	temporallimit "github.com/sweetspot-go/sweetspot/contrib/temporal"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
)

// until waits until something becomes so.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for range 20_000 {
		if ok() {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatal("never: " + what)
}

func check(t *testing.T, l *sweetspot.Limiter, done, ignored, overloads int64) {
	t.Helper()
	s := l.Stats()
	if s.Completed != done || s.Ignored < ignored || s.Overloads != overloads || s.InFlight != 0 || s.Waiting != 0 {
		t.Errorf("%d done, %d ignored, %d overloads, %d in flight, %d waiting; want %d, at least %d, %d, none and none",
			s.Completed, s.Ignored, s.Overloads, s.InFlight, s.Waiting, done, ignored, overloads)
	}
}

func TestWorkerRunsAsManyAsTheLimit(t *testing.T) {
	const limit, raised, tasks = 4, 9, 200
	l := setTo(sweetspot.New(), limit)
	f, c := serve(t)
	var mu sync.Mutex
	now, most := 0, 0
	full, again := make(chan struct{}), make(chan struct{})
	gate, want := full, limit // the activities wait for each other
	Activity := func(ctx context.Context, i int) (int, error) {
		mu.Lock()
		now++
		most = max(most, now)
		if now == want {
			close(gate)
			want = 0 // as many may be there once more
		}
		wait := gate
		mu.Unlock()
		<-wait
		mu.Lock()
		now--
		mu.Unlock()
		return i, nil
	}
	tuner := &temporallimit.Tuner{Activities: l}
	stop := work(t, c, "queue", tuner.Tune(worker.Options{}), Activity)
	for i := range tasks / 2 {
		f.push(t, i, "Activity", i)
	}
	f.wait(tasks / 2)
	mu.Lock()
	if most != limit {
		t.Errorf("%d at a time, want %d", most, limit)
	}
	gate, want = again, raised
	mu.Unlock()
	l.SetLimit(raised)
	for i := range tasks / 2 {
		f.push(t, i, "Activity", i)
	}
	f.wait(tasks)
	stop()
	if most != raised {
		t.Errorf("%d at a time, want %d", most, raised)
	}
	check(t, l, tasks, 0, 0)
	if n := temporallimit.Issued(tuner.Tune(worker.Options{}).Tuner.GetActivityTaskSlotSupplier()); n != 0 {
		t.Errorf("%d slots left", n)
	}
}

func TestWorkerTellsOutcomes(t *testing.T) {
	l := setTo(sweetspot.New(), 3)
	f, c := serve(t)
	Activity := func(ctx context.Context, how string) error {
		switch how {
		case "ok":
			return nil
		case "pending":
			return activity.ErrResultPending
		case "panic":
			panic("so")
		case "late":
			return temporal.NewApplicationErrorWithCause("the database", "DB", context.DeadlineExceeded)
		}
		return errors.New(how)
	}
	tuner := &temporallimit.Tuner{Activities: l}
	stop := work(t, c, "queue", tuner.Tune(worker.Options{}), Activity)
	const each = 10
	for i := range each {
		for _, how := range []string{"ok", "panic", "late", "not found", "pending"} {
			f.push(t, i, "Activity", how)
		}
		f.push(t, i, "Unknown", "so")
	}
	f.wait(5 * each) // of a result that is pending nothing is heard
	until(t, "all have ended", func() bool { return l.Stats().Completed == 2*each })
	stop()
	check(t, l, 2*each, 3*each, each)
	if n := temporallimit.Open(tuner.Tune(worker.Options{}).Tuner.GetActivityTaskSlotSupplier()); n != 0 {
		t.Errorf("%d executions left", n)
	}
}

// The polls of a worker without tasks hold slots, but nothing is in flight.
func TestIdleWorkerHoldsNoPermit(t *testing.T) {
	l := sweetspot.New(sweetspot.Start(8), sweetspot.Min(8))
	f, c := serve(t)
	release := make(chan struct{})
	Activity := func(ctx context.Context, i int) error { <-release; return nil }
	tuner := &temporallimit.Tuner{Activities: l}
	stop := work(t, c, "queue", tuner.Tune(worker.Options{}), Activity)
	until(t, "both pollers poll and nothing is in flight", func() bool {
		return f.polling() == 2 && l.Stats().InFlight == 0
	})
	for i := range 3 {
		f.push(t, i, "Activity", i)
	}
	until(t, "three are in flight, and nothing else", func() bool {
		return f.polling() == 2 && len(f.tasks) == 0 && l.Stats().InFlight == 3
	})
	close(release)
	f.wait(3)
	until(t, "nothing is in flight", func() bool { return l.Stats().InFlight == 0 })
	stop()
	check(t, l, 3, 0, 0)
}

// Two workers with one Tuner share its limit, and the idle polls of one do not keep
// the other from its tasks.
func TestWorkersShareALimit(t *testing.T) {
	l := setTo(sweetspot.New(), 1)
	tuner := &temporallimit.Tuner{Activities: l}
	busy, c := serve(t)
	quiet, c2 := serve(t)
	Activity := func(context.Context, int) error { return nil }
	stopQuiet := work(t, c2, "quiet", tuner.Tune(worker.Options{}), Activity)
	until(t, "the quiet one polls", func() bool { return quiet.polling() == 1 && l.Stats().InFlight == 0 })
	stopBusy := work(t, c, "busy", tuner.Tune(worker.Options{}), Activity)
	for i := range 20 {
		busy.push(t, i, "Activity", i)
	}
	busy.wait(20)
	stopBusy()
	stopQuiet()
	check(t, l, 20, 0, 0)
}
