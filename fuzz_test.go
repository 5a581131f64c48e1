package sweetspot_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
)

// A caller is a goroutine in Acquire.
type caller struct {
	cancel context.CancelCauseFunc
	result chan error // buffered
}

// A model is a Limiter in plain words, and the real one beside it. Its methods
// do the same to both.
type model struct {
	t    *testing.T
	real *sweetspot.Limiter
	seen *recorder

	want   sweetspot.Stats // as far as it can be known
	weight float64
	queue  []*caller
}

func (m *model) acquire() {
	ctx, cancel := context.WithCancelCause(m.t.Context())
	c := &caller{cancel, make(chan error, 1)}
	go func() { c.result <- m.real.Acquire(ctx) }()
	m.queue = append(m.queue, c)
}

func (m *model) free() bool { return len(m.queue) == 0 && m.want.InFlight < m.want.Limit }

func (m *model) tryAcquire() {
	want := m.free()
	if got := m.real.TryAcquire(); got != want {
		m.t.Fatalf("TryAcquire() = %t, want %t", got, want)
	}
	if want {
		m.want.InFlight++
	}
}

// do runs a function that ends in one of many ways, where that needs no waiting.
func (m *model) do(how int) {
	if !m.free() {
		return
	}
	f := func(ctx context.Context) error {
		switch how % 4 {
		case 1:
			return errStop
		case 2:
			panic(errStop)
		case 3:
			return m.real.Do(ctx, func(context.Context) error { return nil })
		}
		return nil
	}
	refuse(func() { m.real.Do(m.t.Context(), f) })
	if how%4 == 1 || how%4 == 2 {
		m.want.Ignored++
	} else {
		m.want.Completed++
		m.weight++
	}
}

// giveBack ends a unit in one of many ways, or is refused.
func (m *model) giveBack(how int) {
	outcome := sweetspot.Outcome(how % 4 % 3)
	value := refuse(func() {
		switch {
		case how%4 == 3:
			m.real.Unit().End(sweetspot.Done, how)
		case how%2 == 0 && outcome == sweetspot.Done:
			m.real.Release()
		default:
			m.real.Unit().End(outcome, 1)
		}
	})
	if refused := value != nil; refused != (m.want.InFlight == 0) {
		m.t.Fatalf("with %d in flight: panic %v", m.want.InFlight, value)
	}
	if value != nil {
		return
	}
	m.want.InFlight--
	switch {
	case how%4 == 3:
		m.want.Completed++
		m.weight += float64(how)
	case outcome == sweetspot.Ignored:
		m.want.Ignored++
	case outcome == sweetspot.Overloaded:
		m.want.Overloads++
	default:
		m.want.Completed++
		m.weight++
	}
}

func (m *model) giveUp(i int) {
	if len(m.queue) == 0 {
		return
	}
	i %= len(m.queue)
	c := m.queue[i]
	c.cancel(errStop)
	if err := <-c.result; err != errStop {
		m.t.Fatalf("a caller that gave up got %v", err)
	}
	m.queue = slices.Delete(m.queue, i, i+1)
}

func (m *model) setLimit(n int) {
	if n == 0 {
		m.real.Auto() // the law keeps it
		return
	}
	m.real.SetLimit(n)
	m.want.Limit = n
}

// settle serves whom it can, then compares.
func (m *model) settle() {
	m.t.Helper()
	synctest.Wait()
	for len(m.queue) > 0 && m.want.InFlight < m.want.Limit {
		select {
		case err := <-m.queue[0].result:
			if err != nil {
				m.t.Fatalf("a caller to be served got %v", err)
			}
		default:
			m.t.Fatalf("the first to be served still waits; %+v", m.real.Stats())
		}
		m.queue = m.queue[1:]
		m.want.InFlight++
	}
	for i, c := range m.queue {
		if len(c.result) > 0 {
			m.t.Fatalf("caller %d of %d in the queue returned; %+v", i, len(m.queue), m.real.Stats())
		}
	}
	m.want.Waiting = len(m.queue)
	s := m.real.Stats()
	got := sweetspot.Stats{Limit: s.Limit, InFlight: s.InFlight, Waiting: s.Waiting, Completed: s.Completed, Ignored: s.Ignored, Overloads: s.Overloads}
	if got != m.want {
		m.t.Fatalf("got %+v, want %+v", got, m.want)
	}
	if m.want.InFlight > 0 && !m.real.Awake() {
		m.t.Fatalf("asleep with units in flight: %+v", got)
	}
}

// FuzzLimiter takes random steps and compares with the model after each. Each
// byte is a step: its low three bits what, the others how much.
func FuzzLimiter(f *testing.F) {
	f.Add([]byte{0, 0, 0, 6, 2, 2, 2, 2})
	f.Add([]byte{0, 8, 16, 0, 4, 12, 20, 2, 3, 11, 19, 27, 5, 2})
	f.Add([]byte{5 + 8*7, 0, 0, 0, 0, 0, 0, 6 + 8*30, 0, 0, 5, 2, 10, 5 + 8*3, 6 + 8, 4 + 8, 18, 26, 1, 3})
	f.Fuzz(func(t *testing.T, steps []byte) {
		if len(steps) > 200 {
			return
		}
		synctest.Test(t, func(t *testing.T) {
			c := &recorder{law: keep}
			m := &model{t: t, real: governed(c, sweetspot.Start(2)), seen: c}
			m.want.Limit = 2
			for _, b := range steps {
				n := int(b >> 3)
				switch b & 7 {
				case 0, 7:
					m.acquire()
				case 1:
					m.tryAcquire()
				case 2:
					m.giveBack(n)
				case 3:
					m.do(n)
				case 4:
					m.giveUp(n)
				case 5:
					m.setLimit(n % 9)
				case 6:
					pause(time.Duration(n) * time.Millisecond)
				}
				m.settle()
			}
			for len(m.queue) > 0 {
				m.giveUp(0)
			}
			m.tryAcquire() // so that the law sees the end
			for m.want.InFlight > 0 {
				m.giveBack(0)
			}
			m.settle()
			isFree(t, m.real)
			rests(t, m.real)
			if c.asked() == 0 {
				return
			}
			if r := c.last(); r.Completed != m.want.Completed || r.Units != m.weight || r.Overloads != m.want.Overloads {
				t.Fatalf("the law was told %+v, want %+v of weight %v", r, m.want, m.weight)
			}
			var before = c.all()[0]
			for _, r := range c.all() {
				if r.At < before.At || r.Completed < before.Completed || r.Units < before.Units || r.Timed < before.Timed ||
					r.Residence < before.Residence || r.Occupancy < before.Occupancy || r.Bound < before.Bound {
					t.Fatalf("totals fell from %+v to %+v", before, r)
				}
				before = r
			}
		})
	})
}
