package loop_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/sweetspot-go/sweetspot/internal/loop"
)

// A budgetModel is what a budget does, in order and without concurrency.
type budgetModel struct {
	most    int64
	running []*modelUnit
	queue   []*modelUnit
}

type modelUnit struct {
	share int64
	state atomic.Int32 // of the real unit: 0 waits, 1 has its weight, 2 gave up
	held  atomic.Int64
	quit  context.CancelFunc
}

func (m *budgetModel) used() (sum int64) {
	for _, u := range m.running {
		sum += u.share
	}
	return sum
}

func (m *budgetModel) add(u *modelUnit) {
	m.queue = append(m.queue, u)
	m.grant()
}

// grant is the whole promise: in order, and as long as the first fits.
func (m *budgetModel) grant() {
	for len(m.queue) > 0 && m.queue[0].share <= m.most-m.used() {
		m.running = append(m.running, m.queue[0])
		m.queue = m.queue[1:]
	}
}

// FuzzBudget: whatever comes, the units that have their weight, and the order of those that
// wait, are those of the model.
func FuzzBudget(f *testing.F) {
	f.Add(int64(10), []byte{3, 4, 5, 200, 1, 255, 6, 128, 9, 140, 141})
	f.Add(int64(1), []byte{1, 1, 1, 128, 192, 128, 128})
	f.Add(int64(math.MaxInt64), []byte{100, 100, 127, 127, 127, 192, 128, 129})
	f.Fuzz(func(t *testing.T, most int64, ops []byte) {
		if most < 1 || len(ops) > 200 {
			t.Skip()
		}
		synctest.Test(t, func(t *testing.T) {
			l := loop.New(loop.Config{Budget: most})
			m := &budgetModel{most: most}
			for i, op := range ops {
				switch k := int(op & 63); {
				case op < 128: // one comes; the heaviest weigh as much as there is, or more
					weight := int64(op) - 1
					if op >= 120 {
						weight = math.MaxInt64 / 127 * int64(op)
					}
					weight = max(weight, 1)
					ctx, quit := context.WithCancel(t.Context())
					u := &modelUnit{share: min(weight, most), quit: quit}
					m.add(u)
					go func() {
						held, err := l.TakeWeight(ctx, weight)
						if err != nil {
							u.state.Store(2)
							return
						}
						u.held.Store(held)
						u.state.Store(1)
					}()
				case op < 192 && len(m.running) > 0: // one ends
					k %= len(m.running)
					u := m.running[k]
					l.GiveWeight(u.held.Load())
					m.running = slices.Delete(m.running, k, k+1)
					m.grant()
				case op >= 192 && len(m.queue) > 0: // one gives up
					k %= len(m.queue)
					u := m.queue[k]
					u.quit()
					m.queue = slices.Delete(m.queue, k, k+1)
					m.grant()
				}
				synctest.Wait()
				for _, u := range m.running {
					if u.state.Load() != 1 || u.held.Load() != u.share {
						t.Fatalf("step %d: a unit of %d that fits: state %d, holds %d", i, u.share, u.state.Load(), u.held.Load())
					}
				}
				for _, u := range m.queue {
					if u.state.Load() != 0 {
						t.Fatalf("step %d: a unit of %d that must wait: state %d", i, u.share, u.state.Load())
					}
				}
				if s := l.Stats(); s.Reserved != m.used() || s.Reserving != len(m.queue) {
					t.Fatalf("step %d: %d in flight and %d wait, want %d and %d", i, s.Reserved, s.Reserving, m.used(), len(m.queue))
				}
			}
			for len(m.running) > 0 {
				l.GiveWeight(m.running[0].held.Load())
				m.running = m.running[1:]
				m.grant()
				synctest.Wait()
			}
			if s := l.Stats(); s.Reserved != 0 || s.Reserving != 0 {
				t.Fatalf("at the end %+v", s)
			}
		})
	})
}

// TestBudgetUnderLoad: many come, end and give up at the same time, and the sum never
// exceeds the budget.
func TestBudgetUnderLoad(t *testing.T) {
	const most = 100
	l := loop.New(loop.Config{Budget: most})
	var sum, taken, refused atomic.Int64
	errEnough := errors.New("enough")
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := range 2000 {
				ctx, cancel := context.WithCancelCause(t.Context())
				if (w+i)%5 == 0 {
					go cancel(errEnough)
				}
				share, err := l.TakeWeight(ctx, int64(1+(i*7+w*13)%130))
				if err != nil {
					if !errors.Is(err, errEnough) {
						t.Error(err)
					}
					refused.Add(1)
				} else {
					if got := sum.Add(share); got > most {
						t.Errorf("%d in flight", got)
					}
					taken.Add(1)
					sum.Add(-share)
					l.GiveWeight(share)
				}
				cancel(nil)
			}
		})
	}
	wg.Wait()
	if s := l.Stats(); s.Reserved != 0 || s.Reserving != 0 || taken.Load()+refused.Load() != 16_000 {
		t.Errorf("at the end %+v; %d taken, %d given up", s, taken.Load(), refused.Load())
	}
}

// BenchmarkBudget is what a unit with a weight costs more.
func BenchmarkBudget(b *testing.B) {
	l := loop.New(loop.Config{Budget: 100})
	b.ReportAllocs()
	for b.Loop() {
		share, _ := l.TakeWeight(context.Background(), 30)
		l.GiveWeight(share)
	}
}
