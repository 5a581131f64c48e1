package slots_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/sweetspot-go/sweetspot/internal/slots"
)

// A take is a call of Take, as the fuzz test sees it.
type take struct {
	id       int
	f        func() error
	cancel   context.CancelCauseFunc
	done     bool // cancelled
	returned chan result
}

type result struct {
	started bool
	err     error
}

// A model is Slots in plain words, and the real ones beside it.
type model struct {
	t    *testing.T
	real slots.Slots
	ran  int // the id of the function that Give returned last

	limit, taken int // a negative limit is none
	queue        []*take
	ids          int
}

func (m *model) room() bool { return m.limit < 0 || m.taken < m.limit }

// takes calls Take, with a function or without.
func (m *model) takes(withFunction bool) {
	m.ids++
	c := &take{id: m.ids, returned: make(chan result, 1)}
	if withFunction {
		c.f = func() error { m.ran = c.id; return nil }
	}
	ctx, cancel := context.WithCancelCause(m.t.Context())
	c.cancel = cancel
	go func() {
		started, err := m.real.Take(ctx, c.f)
		c.returned <- result{started, err}
	}()
	m.queue = append(m.queue, c)
}

func (m *model) tries() {
	want := len(m.queue) == 0 && m.room()
	if got := m.real.TryTake(); got != want {
		m.t.Fatalf("TryTake = %t, want %t", got, want)
	}
	if want {
		m.taken++
	}
}

// gives gives a slot back: to the one that has waited longest, if the limit
// allows, and then with its function.
func (m *model) gives() {
	if m.taken == 0 {
		return
	}
	next := m.real.Give()
	m.taken--
	if len(m.queue) == 0 || !m.room() {
		if next != nil {
			m.t.Fatal("Give returned a function that does not wait")
		}
		return
	}
	c := m.queue[0]
	synctest.Wait()
	if c.done && len(m.queue) > 0 {
		// Its context was done in the same step: it may have left before.
		select {
		case r := <-c.returned:
			if r.err != nil {
				m.queue = m.queue[1:]
				m.passed(next)
				return
			}
			c.returned <- r
		default:
		}
	}
	m.passed(next)
}

// passed checks what Give returned, if the slot went to the head of the queue.
func (m *model) passed(next func() error) {
	if len(m.queue) == 0 {
		if next != nil {
			m.t.Fatal("Give returned a function that does not wait")
		}
		return
	}
	c := m.queue[0]
	m.queue = m.queue[1:]
	m.taken++
	if want := c.f != nil && !c.done; (next != nil) != want {
		m.t.Fatalf("Give returned a function: %t, want %t", next != nil, want)
	}
	if next != nil {
		if next(); m.ran != c.id {
			m.t.Fatalf("Give returned the function of %d, want that of %d", m.ran, c.id)
		}
	}
	m.returns(c, result{next != nil, nil})
}

func (m *model) returns(c *take, want result) {
	m.t.Helper()
	synctest.Wait()
	select {
	case got := <-c.returned:
		if got != want {
			m.t.Fatalf("Take %d returned %v, want %v", c.id, got, want)
		}
	default:
		m.t.Fatalf("Take %d still waits, want %v", c.id, want)
	}
	c.cancel(nil)
}

func (m *model) givesUp(i int) {
	if len(m.queue) == 0 {
		return
	}
	i %= len(m.queue)
	c := m.queue[i]
	m.queue = append(m.queue[:i:i], m.queue[i+1:]...)
	c.cancel(errStop)
	m.returns(c, result{false, errStop})
}

// givesUpServed cancels the one that waits longest, and gives a slot back at the
// same moment.
func (m *model) givesUpServed() {
	if len(m.queue) == 0 || m.taken == 0 || m.limit >= 0 && m.taken > m.limit {
		return
	}
	c := m.queue[0]
	c.done = true
	c.cancel(errStop)
	m.gives()
}

// waits checks that Wait returns if and only if nothing is taken.
func (m *model) waits() {
	returned := make(chan struct{}, 1)
	go func() { m.real.Wait(); returned <- struct{}{} }()
	synctest.Wait()
	if (len(returned) == 1) != (m.taken == 0) {
		m.t.Fatalf("%d are taken, Wait returned %d times", m.taken, len(returned))
	}
}

func (m *model) setLimit(n int) {
	m.real.SetLimit(n)
	m.limit = n
}

// settle serves the callers that fit, and then compares.
func (m *model) settle() {
	m.t.Helper()
	synctest.Wait()
	for len(m.queue) > 0 && m.room() {
		c := m.queue[0]
		m.queue = m.queue[1:]
		m.taken++
		m.returns(c, result{})
	}
	for _, c := range m.queue {
		if len(c.returned) > 0 {
			m.t.Fatalf("Take %d, which has to wait, returned %v", c.id, <-c.returned)
		}
	}
	if got := m.real.Taken(); got != m.taken {
		m.t.Fatalf("%d are taken, want %d", got, m.taken)
	}
}

// FuzzSlots takes random steps and compares with the model after each. Each byte
// is a step: its low three bits what, the others how much.
func FuzzSlots(f *testing.F) {
	f.Add([]byte{7 + 8, 0, 0, 1, 0, 4, 2, 3, 3, 6, 3, 3})
	f.Add([]byte{0, 0, 0, 7 + 8*2, 1, 0, 7 + 8*5, 3, 7, 1, 1, 6, 7 + 8*3, 5, 7 + 8*6})
	f.Add([]byte{7 + 8*2, 0, 0, 1, 1, 1, 0, 0, 5, 5, 4, 5, 6, 3 + 8*16, 3})
	f.Fuzz(func(t *testing.T, steps []byte) {
		if len(steps) > 100 {
			return
		}
		synctest.Test(t, func(t *testing.T) {
			m := &model{t: t, limit: -1}
			for _, b := range steps {
				n := int(b >> 3)
				switch b & 7 {
				case 0, 1:
					m.takes(b&1 == 1)
				case 2:
					m.tries()
				case 3:
					m.gives()
				case 4:
					m.givesUp(n)
				case 5:
					m.givesUpServed()
				case 6:
					m.waits()
				case 7:
					m.setLimit(n%7 - 1)
				}
				m.settle()
			}
			m.setLimit(-1)
			m.settle()
			for m.taken > 0 {
				m.gives()
			}
			m.settle()
			m.real.Wait()
		})
	})
}
