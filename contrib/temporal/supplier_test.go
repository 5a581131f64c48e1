package temporallimit_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
	temporallimit "github.com/sweetspot-go/sweetspot/contrib/temporal"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
)

// info is what the SDK tells a supplier.
type info struct {
	queue  string
	issued int
	permit *worker.SlotPermit
}

func (i info) TaskQueue() string                    { return i.queue }
func (i info) TaskQueueKind() enumspb.TaskQueueKind { return enumspb.TASK_QUEUE_KIND_NORMAL }
func (i info) WorkerIdentity() string               { return "" }
func (i info) NumIssuedSlots() int                  { return i.issued }
func (i info) Logger() log.Logger                   { return silent{} }
func (i info) MetricsHandler() client.MetricsHandler {
	return client.MetricsNopHandler
}
func (i info) Permit() *worker.SlotPermit { return i.permit }

//lint:ignore ST1003 the SDK names it so
func (i info) WorkerBuildId() string { return "" }

// releaseInfo has no Reason, for the SDK does not export what that returns.
type releaseInfo struct {
	worker.SlotReleaseInfo
	permit *worker.SlotPermit
}

func (i releaseInfo) Permit() *worker.SlotPermit { return i.permit }

// A poller does what the SDK does for the tasks of a queue.
type poller struct {
	*temporallimit.SlotSupplier
	queue string
}

func (p poller) reserve(t *testing.T) *worker.SlotPermit {
	t.Helper()
	permit, err := p.ReserveSlot(t.Context(), info{queue: p.queue})
	if err != nil {
		t.Fatal(err)
	}
	return permit
}

func (p poller) mark(permit *worker.SlotPermit)    { p.MarkSlotUsed(info{permit: permit}) }
func (p poller) release(permit *worker.SlotPermit) { p.ReleaseSlot(releaseInfo{permit: permit}) }

// queued is a reservation that may have to wait.
type queued struct {
	permit *worker.SlotPermit
	err    error
	done   atomic.Bool
}

func (p poller) reserveLater(ctx context.Context) *queued {
	return reserveLater(ctx, p.SlotSupplier, p.queue)
}

func reserveLater(ctx context.Context, s worker.SlotSupplier, queue string) *queued {
	q := new(queued)
	go func() {
		q.permit, q.err = s.ReserveSlot(ctx, info{queue: queue})
		q.done.Store(true)
	}()
	return q
}

func inFlight(t *testing.T, l *sweetspot.Limiter, want, waiting int, when string) {
	t.Helper()
	if s := l.Stats(); s.InFlight != want || s.Waiting != waiting {
		t.Errorf("%s %d are in flight and %d wait, want %d and %d", when, s.InFlight, s.Waiting, want, waiting)
	}
}

func TestReserveWaitsForTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := setTo(sweetspot.New(), 2)
		p := poller{temporallimit.NewSlotSupplier(l), "a"}
		a, b := p.reserve(t), p.reserve(t)
		if a == b {
			t.Error("one permit for two slots")
		}
		p.mark(a)
		p.mark(b)
		first := p.reserveLater(t.Context())
		synctest.Wait()
		second := p.reserveLater(t.Context())
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if first.done.Load() || second.done.Load() {
			t.Fatal("more slots than the limit")
		}
		inFlight(t, l, 2, 2, "at the limit")
		p.release(a)
		synctest.Wait()
		if !first.done.Load() || second.done.Load() {
			t.Fatal("the slot did not go to who came first")
		}
		p.release(b)
		p.release(first.permit)
		synctest.Wait()
		time.Sleep(50 * time.Millisecond) // for the Limiter to look at both
		p.release(second.permit)
		check(t, l, 2, 2, 0)
		if s := l.Stats(); s.Residence < 9.9 {
			t.Errorf("residence %v s, want 10 s at least", s.Residence)
		}
	})
}

func TestReserveEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := setTo(sweetspot.New(), 1)
		p := poller{temporallimit.NewSlotSupplier(l), "a"}
		a := p.reserve(t)
		why := errors.New("no longer wanted")
		for _, test := range []string{"in the Limiter", "behind an idle poll"} {
			ctx, cancel := context.WithCancelCause(t.Context())
			q := p.reserveLater(ctx)
			synctest.Wait()
			cancel(why)
			synctest.Wait()
			if !q.done.Load() || q.err != why || q.permit != nil {
				t.Errorf("waiting %s: %v, %v, want the cause", test, q.permit, q.err)
			}
			time.Sleep(temporallimit.IdleAfter)
			synctest.Wait()
		}
		p.release(a)
		check(t, l, 0, 1, 0)
	})
}

func TestIdlePollHoldsNoPermit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := setTo(sweetspot.New(), 3)
		p := poller{temporallimit.NewSlotSupplier(l), "a"}
		a, b := p.reserve(t), p.reserve(t)
		inFlight(t, l, 2, 0, "at first")
		time.Sleep(temporallimit.IdleAfter)
		synctest.Wait()
		inFlight(t, l, 0, 0, "when idle")
		c := p.reserve(t) // the third slot
		inFlight(t, l, 0, 0, "when another one polls")
		d := p.reserveLater(t.Context())
		synctest.Wait()
		if d.done.Load() {
			t.Fatal("more polls than slots")
		}
		inFlight(t, l, 0, 0, "when the others wait for a task") // for none of them is held back by the limit
		p.mark(a)
		synctest.Wait()
		inFlight(t, l, 1, 0, "when one has a task")
		if d.done.Load() {
			t.Fatal("more slots than the limit")
		}
		time.Sleep(time.Second)
		p.release(a)
		synctest.Wait()
		if !d.done.Load() {
			t.Fatal("the slot that became free was not given on")
		}
		p.mark(b)
		p.mark(c)
		p.mark(d.permit)
		inFlight(t, l, 3, 0, "when all have tasks")
		for _, permit := range []*worker.SlotPermit{b, c, d.permit} {
			p.release(permit)
		}
		check(t, l, 4, 2, 0)
		if n := temporallimit.Issued(p.SlotSupplier); n != 0 {
			t.Errorf("%d slots left", n)
		}
	})
}

// A reservation that waits in the Limiter while the last poll becomes idle must not
// get the permit of that.
func TestIdlePollDoesNotMakeRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := setTo(sweetspot.New(), 2)
		p := poller{temporallimit.NewSlotSupplier(l), "a"}
		a, b := p.reserve(t), p.reserve(t)
		p.mark(a)
		later := []*queued{p.reserveLater(t.Context()), p.reserveLater(t.Context())}
		synctest.Wait()
		inFlight(t, l, 2, 2, "at first")
		time.Sleep(temporallimit.IdleAfter)
		synctest.Wait()
		inFlight(t, l, 1, 0, "when one is idle")
		if later[0].done.Load() || later[1].done.Load() {
			t.Fatal("more slots than the limit")
		}
		p.mark(b)
		synctest.Wait()
		inFlight(t, l, 2, 2, "when it got a task") // now the limit holds them back
		p.release(a)
		p.release(b)
		synctest.Wait()
		for _, q := range later {
			p.release(q.permit)
		}
		if s := l.Stats(); s.Completed != 2 || s.InFlight != 0 {
			t.Errorf("%d done, %d in flight; want 2 and none", s.Completed, s.InFlight)
		}
	})
}

func TestIdlePollsKeepOtherQueuesNotWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := setTo(sweetspot.New(), 1)
		s := temporallimit.NewSlotSupplier(l)
		a, b := poller{s, "a"}, poller{s, "b"}
		idle := a.reserve(t)
		time.Sleep(temporallimit.IdleAfter)
		synctest.Wait()
		busy := b.reserve(t)
		b.mark(busy)
		a.mark(idle) // one more than the limit, since both had to poll
		inFlight(t, l, 1, 0, "with two tasks")
		a.release(idle)
		b.release(busy)
		check(t, l, 2, 0, 0)
	})
}

// Queues without a task exceed the limit by their idle polls when they get some, and no
// slot is given out before the number fits.
func TestTasksOfIdlePollsBeyondTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit = 2
		l := setTo(sweetspot.New(), limit)
		s := temporallimit.NewSlotSupplier(l)
		a, b := poller{s, "a"}, poller{s, "b"}
		idle := []*worker.SlotPermit{a.reserve(t), a.reserve(t)}
		time.Sleep(temporallimit.IdleAfter)
		synctest.Wait()
		busy := []*worker.SlotPermit{b.reserve(t), b.reserve(t)} // the whole limit
		for _, permit := range append(busy, idle...) {
			s.MarkSlotUsed(info{permit: permit})
		}
		later := b.reserveLater(t.Context())
		for i, permit := range append(busy, idle...) {
			synctest.Wait()
			if given := later.done.Load(); given != (i == limit+1) {
				t.Fatalf("a slot beside %d tasks: %v", 2*limit-i, given)
			}
			s.ReleaseSlot(releaseInfo{permit: permit})
		}
		b.release(later.permit)
		check(t, l, 2*limit, 0, 0)
	})
}

// Tasks that come after the limit was lowered run all the same, and are counted; no
// others do until there are fewer than the limit.
func TestLoweredLimitIsPaidBack(t *testing.T) {
	for _, busy := range []bool{false, true} {
		t.Run(fmt.Sprintf("others wait %v", busy), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := setTo(sweetspot.New(), 4)
				p := poller{temporallimit.NewSlotSupplier(l), "a"}
				var permits []*worker.SlotPermit
				for range 4 {
					permits = append(permits, p.reserve(t))
				}
				time.Sleep(temporallimit.IdleAfter)
				synctest.Wait()
				l.SetLimit(1)
				for _, permit := range permits {
					p.mark(permit)
				}
				inFlight(t, l, 1, 0, "with one permit")
				if p.TryReserveSlot(info{queue: "a"}) != nil {
					t.Error("a slot beyond the limit")
				}
				var later []*queued
				if busy {
					for range 3 {
						later = append(later, p.reserveLater(t.Context()))
					}
				}
				for _, i := range []int{3, 0, 2} { // those that have no permit, and the one that has
					time.Sleep(time.Second)
					synctest.Wait()
					for _, q := range later {
						if q.done.Load() {
							t.Fatal("a slot beyond the limit")
						}
					}
					p.release(permits[i])
				}
				synctest.Wait()
				inFlight(t, l, 1, len(later), "with one task left")
				p.release(permits[1])
				for range later {
					synctest.Wait()
					for i, q := range later {
						if q != nil && q.done.Load() {
							later[i] = nil
							p.release(q.permit)
							break
						}
					}
				}
				synctest.Wait()
				check(t, l, 4, 0, 0)
				if n := temporallimit.Issued(p.SlotSupplier); n != 0 {
					t.Errorf("%d slots left", n)
				}
			})
		})
	}
}

func TestTryReserveNeverWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := setTo(sweetspot.New(), 2)
		p := poller{temporallimit.NewSlotSupplier(l), "a"}
		a := p.TryReserveSlot(info{queue: "a"})
		time.Sleep(temporallimit.IdleAfter)
		synctest.Wait()
		b := p.TryReserveSlot(info{queue: "a"})
		if a == nil || b == nil {
			t.Fatal("no slot, though two are free")
		}
		if p.TryReserveSlot(info{queue: "a"}) != nil {
			t.Error("a third slot, beside one that polls and an idle one")
		}
		p.mark(a)
		p.mark(b)
		if p.TryReserveSlot(info{queue: "a"}) != nil {
			t.Error("a third slot, beside two in use")
		}
		p.release(a)
		p.release(b)
		check(t, l, 2, 1, 0)
	})
}

func TestMisuseOfSlotsPanics(t *testing.T) {
	p := poller{temporallimit.NewSlotSupplier(setTo(sweetspot.New(), 3)), "a"}
	used, over := p.reserve(t), p.reserve(t)
	p.mark(used)
	p.release(over)
	for _, test := range []struct {
		name string
		f    func()
		want string
	}{
		{"no Limiter", func() { temporallimit.NewSlotSupplier(nil) }, "NewSlotSupplier(nil): want a Limiter"},
		{"marked twice", func() { p.mark(used) }, "MarkSlotUsed of a slot that is in use: want one that is reserved"},
		{"marked when over", func() { p.mark(over) }, "MarkSlotUsed of a slot that is released: want one that is reserved"},
		{"released twice", func() { p.release(over) }, "ReleaseSlot of a slot that was released before"},
		{"no permit", func() { p.mark(nil) }, "a permit that no SlotSupplier of this package has made"},
		{"another's", func() { p.release(&worker.SlotPermit{UserData: 5}) }, "a permit that no SlotSupplier of this package has made"},
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.HasPrefix(got, "sweetspot: ") || !strings.Contains(got, test.want) {
					t.Errorf("%s: panic %q, want %q", test.name, got, test.want)
				}
			}()
			test.f()
		}()
	}
}

// Whatever pollers do, no more tasks run than the limit, and all are counted.
func TestPollersAtRandom(t *testing.T) {
	for seed := range uint64(10) {
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 8))
			limit, pollers := 1+r.IntN(6), 1+r.IntN(8)
			l := setTo(sweetspot.New(), limit)
			p := poller{temporallimit.NewSlotSupplier(l), "a"}
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			var running, done atomic.Int64
			var wg sync.WaitGroup
			for i := range pollers {
				r := rand.New(rand.NewPCG(seed, uint64(i)))
				wg.Go(func() {
					for {
						var permit *worker.SlotPermit
						var err error
						if r.IntN(4) == 0 {
							if permit = p.TryReserveSlot(info{queue: "a"}); permit == nil {
								time.Sleep(time.Millisecond)
								if ctx.Err() != nil {
									return
								}
								continue
							}
						} else if permit, err = p.ReserveSlot(ctx, info{queue: "a"}); err != nil {
							return
						}
						if r.IntN(3) == 0 {
							time.Sleep(time.Duration(r.IntN(600)) * time.Millisecond)
						}
						if r.IntN(4) == 0 {
							p.release(permit)
							continue
						}
						p.mark(permit)
						if n := running.Add(1); n > int64(limit) {
							t.Errorf("seed %d: %d run, limit %d", seed, n, limit)
						}
						work := time.Duration(r.IntN(100)) * time.Millisecond
						wg.Go(func() {
							time.Sleep(work)
							running.Add(-1)
							p.release(permit)
							done.Add(1)
						})
					}
				})
			}
			wg.Wait()
			check(t, l, done.Load(), 0, 0)
			if done.Load() < 100 {
				t.Errorf("seed %d: only %d tasks in 30 s", seed, done.Load())
			}
			if n := temporallimit.Issued(p.SlotSupplier); n != 0 {
				t.Errorf("seed %d: %d slots left", seed, n)
			}
		})
	}
}
