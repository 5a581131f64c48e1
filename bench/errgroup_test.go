package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"golang.org/x/sync/errgroup"
)

// A group is what the two have in common.
type group interface {
	Go(func() error)
	TryGo(func() error) bool
	SetLimit(int)
	Wait() error
}

// A groupKind makes groups of one implementation.
type groupKind struct {
	name        string
	zero        func() group
	withContext func(context.Context) (group, context.Context)
}

var (
	theirs = groupKind{
		"errgroup",
		func() group { return new(errgroup.Group) },
		func(ctx context.Context) (group, context.Context) { return errgroup.WithContext(ctx) },
	}
	ours = groupKind{
		"sweetspot",
		func() group { return new(sweetspot.Group) },
		func(ctx context.Context) (group, context.Context) { return sweetspot.NewGroup(ctx) },
	}
)

// FuzzErrgroup runs random programs on both, in virtual time, and compares all
// that happens, and when.
func FuzzErrgroup(f *testing.F) {
	f.Add([]byte{0, 9, 1, 2, 3, 0xc7})
	f.Add([]byte{3, 0, 64, 8, 32, 1, 2, 72, 6, 5, 0, 0, 6})
	f.Fuzz(func(t *testing.T, program []byte) {
		if len(program) <= mostSteps {
			compareGroups(t, program)
		}
	})
}

// TestErrgroupRandom is the same for those who do not fuzz.
func TestErrgroupRandom(t *testing.T) {
	programs := 2000
	if testing.Short() {
		programs = 200
	}
	for seed := range programs {
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		program := make([]byte, 2+r.IntN(mostSteps-1))
		for i := range program {
			program[i] = byte(r.Uint32())
		}
		compareGroups(t, program)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// mostSteps is so low that each duration of a program finds a bit: a step needs
// two at most.
const mostSteps = 30

func compareGroups(t *testing.T, program []byte) {
	want := logOf(t, theirs, program)
	if got := logOf(t, ours, program); !slices.Equal(got, want) {
		t.Errorf("program %v\nsweetspot:\n\t%s\nerrgroup:\n\t%s", program,
			strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// A machine runs a program and notes what happens.
//
// No two things that could get in each other's way happen at the same time: each
// duration has a bit of its own, so that no two sums are equal. Only functions
// that watch the context end together, and it does not matter which first.
type machine struct {
	g      group
	ctx    context.Context
	limit  int // negative if none
	bit    int // says which duration is the next
	number int // of the next function
	began  time.Time

	mu      sync.Mutex
	running int
	log     []string
}

func (m *machine) note(format string, args ...any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.log = append(m.log, fmt.Sprintf("%020d ", time.Since(m.began))+fmt.Sprintf(format, args...))
}

// duration returns another power of two each time, great and small mixed: 37 and
// 61 have no common factor.
func (m *machine) duration() time.Duration {
	m.bit++
	return 1 << (m.bit * 37 % 61)
}

// function returns a function of the kind that b says.
func (m *machine) function(b byte) func() error {
	m.number++
	id, d := m.number, m.duration()
	var child func() error
	if b&7 == 5 {
		child = m.function(b >> 3)
	}
	return func() error {
		m.note("%d starts", id)
		m.mu.Lock()
		if m.running++; m.limit >= 0 && m.running > m.limit {
			m.log = append(m.log, fmt.Sprintf("%d running, limit %d", m.running, m.limit))
		}
		m.mu.Unlock()
		if b&7 == 4 {
			select {
			case <-time.After(d):
			case <-m.ctx.Done():
			}
		} else {
			time.Sleep(d)
		}
		m.note("%d ends", id)
		if child != nil {
			if m.limit < 0 {
				m.g.Go(child)
			} else {
				m.note("%d: TryGo %t", id, m.g.TryGo(child))
			}
		}
		m.mu.Lock()
		m.running--
		m.mu.Unlock()
		switch b & 7 {
		case 2, 3:
			return fmt.Errorf("error of %d", id)
		case 4:
			return context.Cause(m.ctx)
		case 6:
			runtime.Goexit()
		}
		return nil
	}
}

var errCancelled = errors.New("cancelled from outside")

func logOf(t *testing.T, kind groupKind, program []byte) []string {
	m := &machine{limit: -1}
	synctest.Test(t, func(t *testing.T) {
		m.began = time.Now()
		outer, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		m.ctx = outer
		m.g = kind.zero()
		if len(program) > 0 && program[0]&1 == 1 {
			m.g, m.ctx = kind.withContext(outer)
		}
		var callers sync.WaitGroup
		idle := func() {
			callers.Wait()
			m.note("Wait: %v", m.g.Wait())
		}
		for i, b := range program {
			what := b & 7
			if m.limit == 0 && what <= 2 {
				what = 3 // Go would never return
			}
			switch f := b >> 3; what {
			case 0:
				m.g.Go(m.function(f))
			case 1, 2:
				next := m.function(f)
				callers.Go(func() {
					m.g.Go(next)
					m.note("Go of another goroutine at step %d returns", i)
				})
			case 3, 4:
				m.note("TryGo: %t", m.g.TryGo(m.function(f)))
			case 5:
				time.Sleep(m.duration())
			case 6:
				idle()
				m.limit = int(f)%7 - 1
				m.g.SetLimit(m.limit)
			case 7:
				if f%4 == 0 {
					cancel(errCancelled)
				} else {
					idle()
				}
			}
			synctest.Wait()
			m.note("step %d done, cause %v", i, context.Cause(m.ctx))
		}
		idle()
		m.note("Wait again: %v, cause %v", m.g.Wait(), context.Cause(m.ctx))
	})
	slices.Sort(m.log) // what happens at the same time has no order
	return m.log
}

// groupLoads are the situations in which groups are timed. Each runs so many
// functions that a clock reading is nothing.
var groupLoads = []struct {
	name      string
	limit     int // 0 for none
	callers   int // goroutines that call Go
	functions int // in one group
	f         func() error
}{
	{"unlimited_empty", 0, 1, 8192, func() error { return nil }},
	{"unlimited_empty_groups_of_1", 0, 1, 1, func() error { return nil }},
	{"unlimited_empty_groups_of_8", 0, 1, 8, func() error { return nil }},
	{"limit1_empty", 1, 1, 8192, func() error { return nil }},
	{"limit2_empty", 2, 1, 8192, func() error { return nil }},
	{"limit2_1us", 2, 1, 8192, func() error { runtime.KeepAlive(spin(oneMicrosecond())); return nil }},
	{"limit64_empty", 64, 1, 8192, func() error { return nil }},
	{"64_callers_limit2_empty", 2, 64, 8192, func() error { return nil }},
	{"64_callers_limit2_yield", 2, 64, 8192, func() error { runtime.Gosched(); return nil }},
}

// BenchmarkErrgroup times Go and Wait of both in turns, and reports the median of
// the ratios: below 1, sweetspot takes less time.
func BenchmarkErrgroup(b *testing.B) {
	oneMicrosecond()
	for _, load := range groupLoads {
		once := func(kind groupKind) time.Duration {
			began := time.Now()
			for range 8192 / load.functions {
				g := kind.zero()
				if load.limit > 0 {
					g.SetLimit(load.limit)
				}
				call := func() {
					for range load.functions / load.callers {
						g.Go(load.f)
					}
				}
				if load.callers == 1 {
					call()
				} else {
					var wg sync.WaitGroup
					for range load.callers {
						wg.Go(call)
					}
					wg.Wait()
				}
				if err := g.Wait(); err != nil {
					b.Fatal(err)
				}
			}
			return time.Since(began)
		}
		b.Run(load.name, func(b *testing.B) {
			var ratios, times []float64
			for i := 0; b.Loop(); i++ {
				var we, they time.Duration
				if i%2 == 0 {
					they, we = once(theirs), once(ours)
				} else {
					we, they = once(ours), once(theirs)
				}
				ratios = append(ratios, float64(we)/float64(they))
				times = append(times, float64(we)/8192)
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(middle(ratios), "x-errgroup")
			b.ReportMetric(middle(times), "ns/call")
		})
	}
}

// middle returns the median of values, which it sorts.
func middle(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}
