package temporallimit

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/sweetspot-go/sweetspot"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/worker"
)

// A SlotSupplier is a [worker.SlotSupplier] whose number of slots is the limit of a
// Limiter. It is for activities, local activities and Nexus tasks. It is not for
// workflow tasks: these come from two queues by one set of slots, and idle polls of one
// could keep the other waiting.
//
// One SlotSupplier may serve several workers: they share the limit. But two kinds of
// tasks of one worker need one each, and so do workers of task queues with the same name,
// in several namespaces for instance; these may be on the same Limiter. The SDK does not
// say which of them it reserves a slot for, so the idle polls of one could keep the other
// waiting. A [Tuner] tells them apart.
//
// A SlotSupplier starts no goroutine and needs no Close.
type SlotSupplier struct {
	l *sweetspot.Limiter

	mu      sync.Mutex
	idle    map[queue]int // slots whose polls wait for a task and hold no permit
	idling  int           // their sum
	owed    []*slot       // that run, and got no permit yet
	untold  []sweetspot.Outcome
	shares  uint64        // given out
	changed chan struct{} // closed at the next change that a reservation may wait for; nil if none waits

	judged bool // an interceptor tells outcomes
	order  uint64
	bare   map[source]int // slots in use of which no activity is known
	open   []*execution   // the activities of the others, by order, until their slots are released
}

// A queue is what a poll may bring a task of.
type queue struct {
	source
	kind enumspb.TaskQueueKind
}

// A source is what is known of the queue of an activity that starts.
type source struct {
	taskQueue string
	share     uint64 // its id
}

// NewSlotSupplier returns a SlotSupplier on l, which may also have other users. It
// panics if l is nil.
//
// Without [SlotSupplier.Interceptor] it does not learn the outcomes of tasks, and all
// count as [sweetspot.Done]. [Tuner] sets up both.
func NewSlotSupplier(l *sweetspot.Limiter) *SlotSupplier {
	if l == nil {
		panic("sweetspot: NewSlotSupplier(nil): want a Limiter, such as sweetspot.New()")
	}
	return &SlotSupplier{l: l, idle: make(map[queue]int), bare: make(map[source]int)}
}

// idleAfter is how long a poll takes if no task was there for it, at least. It is
// longer than the way to a server on another continent and back. A poll that is
// taken for idle too late only makes the law try a higher limit in vain; one that is
// taken for idle too soon hides that tasks are waiting.
const idleAfter = 250 * time.Millisecond

// ReserveSlot waits for a slot, first come, first served while tasks are waiting, and
// returns it, or the cause of ctx if that is done first.
//
// While a poll of the same task queue is idle, no other one takes the last slots: there
// is no task that it could bring.
func (s *SlotSupplier) ReserveSlot(ctx context.Context, info worker.SlotReservationInfo) (*worker.SlotPermit, error) {
	return share{SlotSupplier: s}.ReserveSlot(ctx, info)
}

func (s *SlotSupplier) reserve(ctx context.Context, q queue) (*worker.SlotPermit, error) {
	for {
		p, change := s.besideIdle(q)
		switch {
		case p != nil:
			return p, nil
		case change != nil:
			select {
			case <-change:
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
			continue
		}
		u, err := s.l.Begin(ctx)
		if err != nil {
			return nil, err
		}
		if p := s.use(u, q); p != nil {
			return p, nil
		}
	}
}

// besideIdle reserves a slot for a task queue that has idle polls, or returns what
// will be closed before there can be one. It returns neither if no poll is idle.
func (s *SlotSupplier) besideIdle(q queue) (*worker.SlotPermit, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.idle[q] == 0:
		return nil, nil
	case s.fits(1):
		// It will most likely be idle, too, so it takes no permit first.
		sl := &slot{queue: q}
		s.becomeIdle(sl)
		return &worker.SlotPermit{UserData: sl}, nil
	}
	if s.changed == nil {
		s.changed = make(chan struct{})
	}
	return nil, s.changed
}

// use makes a slot of a permit, or returns nil and has put it to a better use.
func (s *SlotSupplier) use(u sweetspot.Unit, q queue) *worker.SlotPermit {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case len(s.untold) > 0:
		s.tell(u)
	case len(s.owed) > 0:
		s.pay(u)
	case s.idle[q] > 0 && !s.fits(0): // a poll became idle meanwhile
		u.End(sweetspot.Ignored, 1)
	default:
		return s.poll(u, q)
	}
	return nil
}

// poll returns a slot for a poll, with a permit that was acquired.
func (s *SlotSupplier) poll(u sweetspot.Unit, q queue) *worker.SlotPermit {
	sl := &slot{queue: q, state: polling, unit: u}
	sl.timer = time.AfterFunc(idleAfter, func() { s.rest(sl) })
	// Always a new one: the SDK knows slots in use by the address of their permit.
	return &worker.SlotPermit{UserData: sl}
}

// TryReserveSlot returns a slot if one is free and no caller waits for it; otherwise
// nil. It does not wait.
func (s *SlotSupplier) TryReserveSlot(info worker.SlotReservationInfo) *worker.SlotPermit {
	return share{SlotSupplier: s}.TryReserveSlot(info)
}

func (s *SlotSupplier) tryReserve(q queue) *worker.SlotPermit {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settle()
	if len(s.owed) > 0 || s.idle[q] > 0 && !s.fits(1) {
		return nil
	}
	u, ok := s.l.TryBegin()
	if !ok {
		return nil
	}
	return s.poll(u, q)
}

// MarkSlotUsed starts the clock of a slot: it has a task.
func (s *SlotSupplier) MarkSlotUsed(info worker.SlotMarkUsedInfo) {
	sl := slotOf(info.Permit())
	s.mu.Lock()
	defer s.mu.Unlock()
	switch sl.state {
	case polling:
		sl.timer.Stop()
		sl.state, sl.unit = timed, sl.unit.Restart()
	case idle:
		s.endIdle(sl)
		if u, ok := s.l.TryBegin(); ok {
			sl.state, sl.unit = timed, u
		} else { // the limit was lowered, or others have used it up
			sl.state = owing
			s.owed = append(s.owed, sl)
		}
	default:
		panic("sweetspot: MarkSlotUsed of a slot that is " + sl.state.String() + ": want one that is reserved")
	}
	s.order++
	sl.marked = s.order
	s.bare[sl.queue.source]++
	s.wake()
}

// ReleaseSlot ends a slot. A slot marked as used is a unit of work, whatever the reason
// of its release, because the SDK gives the same reason for polls without a task.
func (s *SlotSupplier) ReleaseSlot(info worker.SlotReleaseInfo) {
	sl := slotOf(info.Permit())
	s.mu.Lock()
	defer s.mu.Unlock()
	switch sl.state {
	case polling:
		sl.timer.Stop()
		sl.unit.End(sweetspot.Ignored, 1)
	case idle:
		s.endIdle(sl)
	case timed:
		sl.unit.End(s.outcome(sl), 1)
	case untimed:
		s.endUntimed(sl.unit, s.outcome(sl))
	case owing:
		s.owed = slices.DeleteFunc(s.owed, func(o *slot) bool { return o == sl })
		s.untold = append(s.untold, s.outcome(sl))
	case released:
		panic("sweetspot: ReleaseSlot of a slot that was released before")
	}
	sl.state = released
	s.settle()
	s.wake()
}

// MaxSlots returns 0: the limit moves. So the SDK gives no gauge of available slots;
// the figures are in [sweetspot.Limiter.Stats].
func (s *SlotSupplier) MaxSlots() int { return 0 }

// Limiter returns the Limiter given to [NewSlotSupplier].
func (s *SlotSupplier) Limiter() *sweetspot.Limiter { return s.l }

// rest takes the permit of a poll that turned out to be idle.
func (s *SlotSupplier) rest(sl *slot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if sl.state != polling { // the timer fired while the slot was marked or released
		return
	}
	s.becomeIdle(sl)
	sl.unit.End(sweetspot.Ignored, 1)
	s.settle()
}

func (s *SlotSupplier) becomeIdle(sl *slot) {
	sl.state = idle
	s.idle[sl.queue]++
	s.idling++
}

func (s *SlotSupplier) endIdle(sl *slot) {
	s.idling--
	if s.idle[sl.queue]--; s.idle[sl.queue] == 0 {
		delete(s.idle, sl.queue)
	}
}

// fits reports whether n more slots and all that there are stay within the limit.
func (s *SlotSupplier) fits(n int) bool {
	st := s.l.Stats()
	return st.InFlight+s.idling+len(s.owed)+n <= st.Limit
}

// settle gets the permits for what went on without.
func (s *SlotSupplier) settle() {
	for len(s.untold) > 0 || len(s.owed) > 0 {
		u, ok := s.l.TryBegin()
		switch {
		case !ok:
			return
		case len(s.untold) > 0:
			s.tell(u)
		default:
			s.pay(u)
		}
	}
}

// tell spends a permit on a unit that ended without one.
func (s *SlotSupplier) tell(u sweetspot.Unit) {
	s.endUntimed(u, s.untold[0])
	s.untold = s.untold[1:]
}

// endUntimed ends a unit that ran without a permit for a while: its time says nothing.
func (s *SlotSupplier) endUntimed(u sweetspot.Unit, o sweetspot.Outcome) {
	if o == sweetspot.Done {
		s.l.Release()
		return
	}
	u.End(o, 1)
}

// pay gives a permit to the slot that has been without one for longest.
func (s *SlotSupplier) pay(u sweetspot.Unit) {
	s.owed[0].state, s.owed[0].unit = untimed, u
	s.owed = slices.Delete(s.owed, 0, 1)
}

// wake has the reservations that wait for a change look again.
func (s *SlotSupplier) wake() {
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}
