package sweetspot_test

import (
	"context"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/sweetspot-go/sweetspot"
)

// A groupJob is a function given to a Group, as the fuzz test sees it.
type groupJob struct {
	id       int
	cancel   context.CancelCauseFunc // nil for Go
	end      chan bool               // true: by Goexit
	returned chan error              // what Go or GoContext returned, buffered
}

// A groupModel is a Group in plain words, and the real one beside it.
type groupModel struct {
	t     *testing.T
	real  sweetspot.Group
	seen  []int // the ids of the functions that run in real; written by them
	turns chan struct{}

	limit          int // negative: none
	running, queue []*groupJob
	served         []*groupJob // by the last step
	ids            int
}

func (m *groupModel) job() (*groupJob, func() error) {
	m.ids++
	j := &groupJob{id: m.ids, end: make(chan bool), returned: make(chan error, 1)}
	return j, func() error {
		m.turns <- struct{}{}
		m.seen = append(m.seen, j.id)
		<-m.turns
		defer func() {
			m.turns <- struct{}{}
			m.seen = slices.DeleteFunc(m.seen, func(id int) bool { return id == j.id })
			<-m.turns
		}()
		if <-j.end {
			runtime.Goexit()
		}
		return nil
	}
}

func (m *groupModel) room() bool { return m.limit < 0 || len(m.running) < m.limit }

func (m *groupModel) goes() {
	j, f := m.job()
	go func() {
		m.real.Go(f)
		j.returned <- nil
	}()
	m.queue = append(m.queue, j)
}

func (m *groupModel) goesContext() {
	j, f := m.job()
	ctx, cancel := context.WithCancelCause(m.t.Context())
	j.cancel = cancel
	go func() { j.returned <- m.real.GoContext(ctx, func(context.Context) error { return f() }) }()
	m.queue = append(m.queue, j)
}

func (m *groupModel) tries() {
	j, f := m.job()
	want := len(m.queue) == 0 && m.room()
	if got := m.real.TryGo(f); got != want {
		m.t.Fatalf("TryGo = %t, want %t", got, want)
	}
	if want {
		m.running = append(m.running, j)
	}
}

func (m *groupModel) ends(i int, goexit bool) {
	if len(m.running) > 0 {
		i %= len(m.running)
		m.running[i].end <- goexit
		m.running = slices.Delete(m.running, i, i+1)
	}
}

func (m *groupModel) givesUp(i int) {
	if len(m.queue) == 0 {
		return
	}
	i %= len(m.queue)
	j := m.queue[i]
	if j.cancel == nil {
		return
	}
	j.cancel(errStop)
	if err := <-j.returned; err != errStop {
		m.t.Fatalf("a caller that gave up got %v", err)
	}
	m.queue = slices.Delete(m.queue, i, i+1)
}

// givesUpServed cancels the one who waits longest, and then lets a function end:
// whoever is next gets the slot.
func (m *groupModel) givesUpServed(i int) {
	if len(m.queue) == 0 || m.queue[0].cancel == nil || len(m.running) == 0 {
		return
	}
	j := m.queue[0]
	j.cancel(errStop)
	m.ends(i, false)
	m.queue = m.queue[1:]
	if err := <-j.returned; err != errStop {
		m.t.Fatalf("a caller whose context was done before its turn got %v", err)
	}
}

func (m *groupModel) setLimit(n int) {
	m.real.SetLimit(n)
	m.limit = n
}

// waits checks that Wait returns if and only if nothing runs.
func (m *groupModel) waits() {
	returned := make(chan error, 1)
	go func() { returned <- m.real.Wait() }()
	synctest.Wait()
	if idle := len(m.running) == 0; (len(returned) == 1) != idle {
		m.t.Fatalf("%d run, Wait returned %d times", len(m.running), len(returned))
	}
}

// settle serves whom it can, then compares.
func (m *groupModel) settle() {
	m.t.Helper()
	for len(m.queue) > 0 && m.room() {
		m.running = append(m.running, m.queue[0])
		m.served = append(m.served, m.queue[0])
		m.queue = m.queue[1:]
	}
	synctest.Wait()
	for _, j := range m.served {
		select {
		case err := <-j.returned:
			if err != nil {
				m.t.Fatalf("function %d was to be started: %v", j.id, err)
			}
		default:
			m.t.Fatalf("the caller of function %d, which was to be started, still waits", j.id)
		}
	}
	m.served = m.served[:0]
	for _, j := range m.queue {
		if len(j.returned) > 0 {
			m.t.Fatalf("the caller of function %d, which has to wait, returned", j.id)
		}
	}
	var want []int
	for _, j := range m.running {
		want = append(want, j.id)
	}
	got := slices.Clone(m.seen)
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		m.t.Fatalf("%v run, want %v; limit %d", got, want, m.limit)
	}
}

// FuzzGroup takes random steps and compares with the model after each. Each byte
// is a step: its low three bits what, the others how much.
func FuzzGroup(f *testing.F) {
	f.Add([]byte{7 + 8, 0, 0, 1, 0, 4, 2, 3, 3, 6, 3, 3})
	f.Add([]byte{0, 0, 0, 7 + 8*2, 1, 0, 7 + 8*5, 3, 7, 1, 1, 6, 7 + 8*3, 5, 7 + 8*6})
	f.Add([]byte{7 + 8*2, 0, 0, 1, 1, 1, 0, 0, 5, 5, 4, 5, 6, 3 + 8*16, 3})
	f.Fuzz(func(t *testing.T, steps []byte) {
		if len(steps) > 100 {
			return
		}
		synctest.Test(t, func(t *testing.T) {
			m := &groupModel{t: t, limit: -1, turns: make(chan struct{}, 1)}
			for _, b := range steps {
				n := int(b >> 3)
				switch b & 7 {
				case 0:
					m.goes()
				case 1:
					m.goesContext()
				case 2:
					m.tries()
				case 3:
					m.ends(n, n >= 16)
				case 4:
					m.givesUp(n)
				case 5:
					m.givesUpServed(n)
				case 6:
					m.waits()
				case 7:
					m.setLimit(n%7 - 1)
				}
				m.settle()
			}
			m.setLimit(-1)
			m.settle()
			for len(m.running) > 0 {
				m.ends(0, false)
			}
			m.settle()
			if err := m.real.Wait(); err != nil {
				t.Fatal(err)
			}
		})
	})
}
