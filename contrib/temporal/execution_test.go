package temporallimit_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
	temporallimit "github.com/sweetspot-go/sweetspot/contrib/temporal"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// The slot of a local activity is released as soon as its context is done, before the
// activity ends.
func TestLocalActivityThatIsGivenUp(t *testing.T) {
	synctest.Test(t, localActivityThatIsGivenUp)
}

func localActivityThatIsGivenUp(t *testing.T) {
	l := setTo(sweetspot.New(), 4)
	p := poller{temporallimit.NewSlotSupplier(l), "a"}
	p.Interceptor(true, nil)
	late, cancelled, fine, unknown := p.reserve(t), p.reserve(t), p.reserve(t), p.reserve(t)

	deadline, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	gone, giveUp := context.WithCancel(t.Context())
	p.mark(late)
	endLate := temporallimit.Execute(p.SlotSupplier, "a", deadline)
	p.mark(cancelled)
	endCancelled := temporallimit.Execute(p.SlotSupplier, "a", gone)
	p.mark(unknown) // starts no activity
	p.mark(fine)
	endFine := temporallimit.Execute(p.SlotSupplier, "a", t.Context())
	if n := temporallimit.Open(p.SlotSupplier); n != 3 {
		t.Fatalf("%d executions, want 3", n)
	}

	giveUp()
	time.Sleep(time.Second)
	synctest.Wait()
	p.release(late)
	p.release(cancelled)
	p.release(unknown)
	endFine(sweetspot.Done)
	p.release(fine)
	endLate(sweetspot.Done) // too late
	endCancelled(sweetspot.Done)
	check(t, l, 1, 2, 1)
	if n := temporallimit.Open(p.SlotSupplier); n != 0 {
		t.Errorf("%d executions left", n)
	}
}

// One that waited for a slot until its timeout says nothing of
// what runs; its slot may be released by then, and it must not pass for another's.
func TestLocalActivityThatStartsTooLate(t *testing.T) {
	l := setTo(sweetspot.New(), 2)
	p := poller{temporallimit.NewSlotSupplier(l), "a"}
	p.Interceptor(true, nil)
	over, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	a, b := p.reserve(t), p.reserve(t)
	p.mark(a)
	endA := temporallimit.Execute(p.SlotSupplier, "a", over)
	p.release(a)
	endA(sweetspot.Overloaded)
	p.mark(b)
	p.release(b)
	c := p.reserve(t)
	p.mark(c)
	endB := temporallimit.Execute(p.SlotSupplier, "a", over)
	endC := temporallimit.Execute(p.SlotSupplier, "a", t.Context())
	endB(sweetspot.Overloaded)
	endC(sweetspot.Done)
	p.release(c)
	check(t, l, 1, 2, 0)
	if n := temporallimit.Issued(p.SlotSupplier); n != 0 {
		t.Errorf("%d slots left", n)
	}
}

// Activities whose order of starting is not that of their slots all count once.
func TestOutcomesOfActivitiesThatStartTogether(t *testing.T) {
	synctest.Test(t, outcomesOfActivitiesThatStartTogether) // no poll becomes idle, which would be ignored, too
}

func outcomesOfActivitiesThatStartTogether(t *testing.T) {
	l := setTo(sweetspot.New(), 3)
	p := poller{temporallimit.NewSlotSupplier(l), "a"}
	p.Interceptor(false, nil)
	a, b, c := p.reserve(t), p.reserve(t), p.reserve(t)
	p.mark(a)
	p.mark(b)
	endB := temporallimit.Execute(p.SlotSupplier, "a", nil)
	endA := temporallimit.Execute(p.SlotSupplier, "a", nil)
	p.mark(c)
	endC := temporallimit.Execute(p.SlotSupplier, "a", nil)
	endC(sweetspot.Ignored)
	p.release(c)
	endA(sweetspot.Done)
	p.release(a)
	endB(sweetspot.Overloaded)
	p.release(b)
	if s := l.Stats(); s.Completed != 1 || s.Ignored != 1 || s.Overloads != 1 {
		t.Errorf("%d done, %d ignored, %d overloads; want one of each", s.Completed, s.Ignored, s.Overloads)
	}
}

// So is one of which an interceptor hides that its context is done.
func TestActivityThatIsGivenUpUnseen(t *testing.T) {
	l := setTo(sweetspot.New(), 1)
	p := poller{temporallimit.NewSlotSupplier(l), "a"}
	p.Interceptor(true, nil)
	for range 3 {
		a := p.reserve(t)
		p.mark(a)
		end := temporallimit.Execute(p.SlotSupplier, "a", context.WithoutCancel(t.Context()))
		p.release(a)
		end(sweetspot.Done)
	}
	check(t, l, 0, 3, 0)
	if n := temporallimit.Issued(p.SlotSupplier); n != 0 {
		t.Errorf("%d slots left", n)
	}
}

// Nor does it take the place of one that runs beside it.
func TestActivityThatIsGivenUpUnseenBesideAnother(t *testing.T) {
	l := setTo(sweetspot.New(), 2)
	p := poller{temporallimit.NewSlotSupplier(l), "a"}
	p.Interceptor(true, nil)
	lost, fine := p.reserve(t), p.reserve(t)
	p.mark(lost)
	endLost := temporallimit.Execute(p.SlotSupplier, "a", context.WithoutCancel(t.Context()))
	p.mark(fine)
	endFine := temporallimit.Execute(p.SlotSupplier, "a", t.Context())
	p.release(lost)
	endFine(sweetspot.Done)
	p.release(fine)
	endLost(sweetspot.Overloaded)
	check(t, l, 1, 1, 0)
	if n := temporallimit.Issued(p.SlotSupplier); n != 0 {
		t.Errorf("%d slots left", n)
	}
}

// An interceptor of a worker that has other slots keeps nothing.
func TestExecutionWithoutASlot(t *testing.T) {
	p := poller{temporallimit.NewSlotSupplier(sweetspot.New()), "a"}
	p.Interceptor(false, nil)
	temporallimit.Execute(p.SlotSupplier, "a", nil)(sweetspot.Done)
	a := p.reserve(t)
	p.mark(a)
	end := temporallimit.Execute(p.SlotSupplier, "a session's beginning", nil)
	if n := temporallimit.Open(p.SlotSupplier); n != 0 {
		t.Errorf("%d executions kept", n)
	}
	temporallimit.Execute(p.SlotSupplier, "a", nil)(sweetspot.Overloaded)
	p.release(a)
	end(sweetspot.Done)
	if s := p.Limiter().Stats(); s.Overloads != 1 || s.Completed != 0 {
		t.Errorf("%d overloads, %d done; want one and none", s.Overloads, s.Completed)
	}
	if n := temporallimit.Issued(p.SlotSupplier); n != 0 {
		t.Errorf("%d slots left", n)
	}
}

// Without an interceptor, all tasks are done.
func TestNobodyTellsOutcomes(t *testing.T) {
	l := setTo(sweetspot.New(), 1)
	p := poller{temporallimit.NewSlotSupplier(l), "a"}
	a := p.reserve(t)
	p.mark(a)
	p.release(a)
	check(t, l, 1, 0, 0)
}

func TestErrorOutcome(t *testing.T) {
	for _, test := range []struct {
		err  error
		want sweetspot.Outcome
	}{
		{nil, sweetspot.Done},
		{activity.ErrResultPending, sweetspot.Done},
		{errors.New("no"), sweetspot.Ignored},
		{context.Canceled, sweetspot.Ignored},
		{temporal.NewCanceledError(), sweetspot.Ignored},
		{temporal.NewApplicationError("no", "NotFound"), sweetspot.Ignored},
		{status.Error(codes.NotFound, "no"), sweetspot.Ignored},
		{context.DeadlineExceeded, sweetspot.Overloaded},
		{fmt.Errorf("query: %w", context.DeadlineExceeded), sweetspot.Overloaded},
		{temporal.NewHeartbeatTimeoutError(), sweetspot.Overloaded},
		{status.Error(codes.ResourceExhausted, "no"), sweetspot.Overloaded},
		{fmt.Errorf("call: %w", status.Error(codes.Unavailable, "no")), sweetspot.Overloaded},
		{status.Error(codes.DeadlineExceeded, "no"), sweetspot.Overloaded},
		{serviceerror.NewResourceExhausted(0, "no"), sweetspot.Overloaded},
		{serviceerror.NewUnavailable("no"), sweetspot.Overloaded},
		{serviceerror.NewNotFound("no"), sweetspot.Ignored},
		{temporal.NewApplicationErrorWithCause("call", "Busy", status.Error(codes.ResourceExhausted, "no")), sweetspot.Overloaded},
		{temporal.NewApplicationErrorWithCause("call", "Busy", errors.New("no")), sweetspot.Ignored},
	} {
		if got := temporallimit.ErrorOutcome(test.err); got != test.want {
			t.Errorf("%v is %v, want %v", test.err, got, test.want)
		}
	}
}
