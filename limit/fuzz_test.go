package limit_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot/limit"
)

// A caller is a goroutine in Acquire, as the fuzz test sees it.
type caller struct {
	cancel context.CancelCauseFunc
	result chan error // buffered
}

// A model is a semaphore in plain words, and the real one beside it. Its methods
// do the same to both.
type model struct {
	t    *testing.T
	real *limit.Semaphore

	limit, inFlight int
	completed       int64
	queued          int64
	bound           time.Duration
	queue           []*caller
	served          []*caller // by the last step
}

var errGaveUp = errors.New("gave up")

func (m *model) acquire() {
	ctx, cancel := context.WithCancelCause(m.t.Context())
	c := &caller{cancel, make(chan error, 1)}
	go func() { c.result <- m.real.Acquire(ctx) }()
	if len(m.queue) > 0 || m.inFlight >= m.limit {
		m.queued++
	}
	m.queue = append(m.queue, c)
}

func (m *model) acquireDone() {
	ctx, cancel := context.WithCancelCause(m.t.Context())
	cancel(errGaveUp)
	if err := m.real.Acquire(ctx); err != errGaveUp {
		m.t.Fatalf("Acquire of a context that is done: %v", err)
	}
}

func (m *model) tryAcquire() {
	want := len(m.queue) == 0 && m.inFlight < m.limit
	if got := m.real.TryAcquire(); got != want {
		m.t.Fatalf("TryAcquire() = %t, want %t", got, want)
	}
	if want {
		m.inFlight++
	}
}

func (m *model) giveBack(f func(*limit.Semaphore), done int64) {
	value := refuse(func() { f(m.real) })
	if refused := value != nil; refused != (m.inFlight == 0) {
		m.t.Fatalf("with %d in flight: panic %v", m.inFlight, value)
	}
	if value == nil {
		m.inFlight--
		m.completed += done
	}
}

func (m *model) renew() {
	var kept bool
	value := refuse(func() { kept = m.real.Renew() })
	if refused := value != nil; refused != (m.inFlight == 0) {
		m.t.Fatalf("with %d in flight: panic %v", m.inFlight, value)
	}
	if value != nil {
		return
	}
	if want := m.inFlight <= m.limit; kept != want {
		m.t.Fatalf("Renew() = %t with %d in flight of %d", kept, m.inFlight, m.limit)
	}
	m.completed++
	if !kept {
		m.inFlight--
	}
}

func (m *model) giveUp(i int) {
	if len(m.queue) == 0 {
		return
	}
	i %= len(m.queue)
	c := m.queue[i]
	c.cancel(errGaveUp)
	if err := <-c.result; err != errGaveUp {
		m.t.Fatalf("a caller that gave up got %v", err)
	}
	m.queue = slices.Delete(m.queue, i, i+1)
}

func (m *model) setLimit(n int) {
	m.real.SetLimit(n)
	m.limit = n
}

func (m *model) sleep(d time.Duration) {
	time.Sleep(d)
	if len(m.queue) > 0 {
		m.bound += d
	}
}

// settle serves whom it can, then compares: the callers at the head of the queue
// have returned, exactly those, and the counters agree.
func (m *model) settle() {
	m.t.Helper()
	for len(m.queue) > 0 && m.inFlight < m.limit {
		m.served = append(m.served, m.queue[0])
		m.queue = m.queue[1:]
		m.inFlight++
	}
	synctest.Wait()
	for i, c := range m.served {
		select {
		case err := <-c.result:
			if err != nil {
				m.t.Fatalf("caller %d of %d to be served: %v", i, len(m.served), err)
			}
		default:
			m.t.Fatalf("caller %d of %d to be served still waits; %+v", i, len(m.served), m.real.Counters())
		}
	}
	m.served = m.served[:0]
	for i, c := range m.queue {
		if len(c.result) > 0 {
			m.t.Fatalf("caller %d of %d in the queue returned; %+v", i, len(m.queue), m.real.Counters())
		}
	}
	want := limit.Counters{Limit: m.limit, InFlight: m.inFlight, Waiting: len(m.queue), Completed: m.completed, Queued: m.queued, Bound: m.bound}
	if got := m.real.Counters(); got != want {
		m.t.Fatalf("counters %+v, want %+v", got, want)
	}
}

// FuzzSemaphore takes random steps and compares with the model after each. Each
// byte is a step: its low three bits what, the others how much.
func FuzzSemaphore(f *testing.F) {
	f.Add([]byte{0, 0, 0, 6, 2, 2, 2, 2})
	f.Add([]byte{0, 8, 16, 0, 4, 12, 20, 2, 3, 5, 2})
	f.Add([]byte{5 + 8*4, 0, 0, 0, 0, 0, 0, 14, 5 + 8, 14, 14, 14, 14, 14, 2, 5 + 8*3, 14})
	f.Add([]byte{5 + 8*7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 2, 2, 5 + 8*3, 7 + 8, 4 + 8, 2, 2, 1, 3})
	f.Fuzz(func(t *testing.T, steps []byte) {
		if len(steps) > 200 {
			return
		}
		synctest.Test(t, func(t *testing.T) {
			m := &model{t: t, real: limit.New(2), limit: 2}
			for _, b := range steps {
				n := int(b >> 3)
				switch b & 7 {
				case 0:
					m.acquire()
				case 1:
					m.tryAcquire()
				case 2:
					m.giveBack((*limit.Semaphore).Release, 1)
				case 3:
					m.giveBack((*limit.Semaphore).Cancel, 0)
				case 4:
					m.giveUp(n)
				case 5:
					m.setLimit(1 + n%8)
				case 6:
					if n%2 == 0 {
						m.acquireDone()
					} else {
						m.renew()
					}
				case 7:
					m.sleep(time.Duration(n) * time.Millisecond)
				}
				m.settle()
			}
			for len(m.queue) > 0 {
				m.giveUp(0)
			}
			for m.inFlight > 0 {
				m.giveBack((*limit.Semaphore).Release, 1)
			}
			m.settle()
			isFree(t, m.real)
		})
	})
}
