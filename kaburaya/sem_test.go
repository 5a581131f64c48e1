package kaburaya_test

import (
	"math"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/kaburaya"
)

func TestBadArguments(t *testing.T) {
	for name, c := range map[string]struct {
		f    func()
		want string
	}{
		"period":  {func() { kaburaya.NewSem(0, 0.1) }, "kaburaya: NewSem: period 0s: must be at least 10ms, such as 100ms"},
		"gain":    {func() { kaburaya.NewSem(period, 0) }, "kaburaya: NewSem: gain 0: must be over 0"},
		"NaN":     {func() { kaburaya.NewSem(period, math.NaN()) }, "kaburaya: NewSem: gain NaN: must be over 0"},
		"maximum": {func() { kaburaya.Max(0) }, "kaburaya: Max(0): the maximum must be between 1 and 4194304"},
		"rate":    {func() { kaburaya.ChangeRate(-1) }, "kaburaya: ChangeRate(-1): the rate must be 0 or more"},
		"metric":  {func() { kaburaya.CPU(7) }, "kaburaya: CPU(metric(7)): want control.OwnCPU"},
		"record":  {func() { kaburaya.Record(nil) }, "kaburaya: Record(nil): want a function"},
		"sensor":  {func() { kaburaya.Sensor(nil) }, "kaburaya: Sensor(nil): want a sensor"},
	} {
		func() {
			defer func() {
				if got, _ := recover().(string); !strings.HasPrefix(got, c.want) {
					t.Errorf("%s: panic %q, want %q", name, got, c.want)
				}
			}()
			c.f()
		}()
	}
}

// TestManyWait: more goroutines wait than there are permits. The published
// semaphore hangs with two.
func TestManyWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kaburaya.NewSem(period, 0.1, kaburaya.Sensor(&plant{cpus: 4, law: constant(0)}))
		defer s.Stop()
		var wg sync.WaitGroup
		for range 100 {
			wg.Go(func() {
				s.Wait()
				time.Sleep(time.Millisecond)
				s.Signal()
			})
		}
		wg.Wait()
	})
}

// TestLateWaiter: one who comes when others have waited and gone is woken, too.
func TestLateWaiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kaburaya.NewSem(period, 0.1)
		s.Stop() // the limit stays 1
		served := 0
		s.Wait()
		for late := range 3 {
			for range 2 {
				go func() {
					s.Wait()
					served++
				}()
				synctest.Wait()
			}
			for range 2 {
				s.Signal()
				synctest.Wait()
			}
			if want := 2 * (late + 1); served != want {
				t.Fatalf("%d served, want %d", served, want)
			}
		}
		s.Signal()
	})
}

// TestStop: it ends the goroutine, however often it is called, and the semaphore
// works on at the last limit.
func TestStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &plant{cpus: 8, law: perUnit(1)}
		s := kaburaya.NewSem(period, 0.1, kaburaya.Sensor(p))
		stopLoad := load(s, 50, unit)
		for s.Limit() < 3 {
			time.Sleep(period)
		}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(s.Stop)
		}
		wg.Wait()
		s.Stop()
		last, asked := s.Limit(), p.asked.Load()
		stacks := make([]byte, 1<<20)
		if stacks := string(stacks[:runtime.Stack(stacks, true)]); strings.Contains(stacks, "kaburaya.(*Sem).run") {
			t.Errorf("the goroutine still runs:\n%s", stacks)
		}
		time.Sleep(10 * period)
		if s.Limit() != last || p.asked.Load() != asked {
			t.Errorf("after Stop: limit %d, was %d; %d more periods", s.Limit(), last, p.asked.Load()-asked)
		}
		stopLoad()
		for range last {
			s.Wait()
		}
		for range last {
			s.Signal()
		}
	})
}

// TestStopFromRecord: the recorder may end it all.
func TestStopFromRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sem atomic.Pointer[kaburaya.Sem]
		calls := 0
		s := kaburaya.NewSem(period, 0.1, kaburaya.Sensor(&plant{cpus: 1, law: constant(0)}),
			kaburaya.Record(func(kaburaya.Point) {
				calls++
				deep(100, sem.Load().Stop)
			}))
		sem.Store(s)
		time.Sleep(10 * period)
		s.Stop()
		if calls != 1 {
			t.Errorf("%d points, want 1", calls)
		}
	})
}

// TestStopFromAnotherRecord: nothing of a Sem is recorded any more once a recorder of another has stopped it.
func TestStopFromAnotherRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var recording atomic.Bool
		begun := make(chan struct{})
		idle := kaburaya.Sensor(&plant{cpus: 1, law: constant(0)})
		other := kaburaya.NewSem(period, 0.1, idle, kaburaya.Record(func(kaburaya.Point) {
			recording.Store(true)
			close(begun) // Stop comes meanwhile, so there is no second call
			time.Sleep(period)
			recording.Store(false)
		}))
		var once sync.Once
		s := kaburaya.NewSem(period, 0.1, kaburaya.Sensor(&plant{cpus: 1, law: constant(0)}), kaburaya.Record(func(kaburaya.Point) {
			once.Do(func() {
				<-begun
				other.Stop()
				if recording.Load() {
					t.Error("Stop has returned during a call of the other Sem's function")
				}
			})
		}))
		time.Sleep(10 * period)
		s.Stop()
		other.Stop()
	})
}

// deep calls f from a stack of n frames.
//
//go:noinline
func deep(n int, f func()) {
	if n > 0 {
		deep(n-1, f)
	} else {
		f()
	}
}

func TestSignalWithoutWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kaburaya.NewSem(period, 0.1)
		defer s.Stop()
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
			s.Wait() // still one permit
			s.Signal()
		}()
		s.Signal()
	})
}

// TestRecord: a point a period, with the metric that was asked for and the limit
// in force.
func TestRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, metric := range []control.Metric{control.OwnCPU, control.MachineCPU} {
			var points []kaburaya.Point
			var inForce []int
			var sem atomic.Pointer[kaburaya.Sem]
			p := &plant{cpus: 4, faster: 2, law: constant(0.4)} // 10 %, and 20 % of the machine
			s := kaburaya.NewSem(period, 0.1, kaburaya.CPU(metric), kaburaya.Sensor(p), kaburaya.Record(func(p kaburaya.Point) {
				points = append(points, p)
				inForce = append(inForce, sem.Load().Limit())
			}))
			sem.Store(s)
			stopLoad := load(s, 50, unit)
			time.Sleep(5*period + period/2)
			s.Stop()
			stopLoad()
			if len(points) != 5 {
				t.Fatalf("%v: %d points, want 5", metric, len(points))
			}
			want := 10.0
			if metric == control.MachineCPU {
				want = 20
			}
			for i, p := range points {
				if p.At != time.Duration(i+1)*period || math.Abs(p.Usage-want) > 1e-6 || p.Limit != inForce[i] {
					t.Errorf("%v: point %d is %+v, want usage %v, limit %d", metric, i, p, want, inForce[i])
				}
			}
			if points[0].SetPoint != want+2 { // a change from nothing
				t.Errorf("%v: first set point %v, want %v", metric, points[0].SetPoint, want+2)
			}
			if points[1].SetPoint != want-2 { // the same again
				t.Errorf("%v: second set point %v, want %v", metric, points[1].SetPoint, want-2)
			}
		}
	})
}
