package kaburaya_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot/kaburaya"
)

// erratic is work whose usage jumps by more than the change rate every period,
// so that the set point is always above it: the published limit grows for ever.
func erratic() func(int) float64 {
	high := false
	return func(int) float64 {
		high = !high
		if high {
			return 2
		}
		return 1
	}
}

func TestMax(t *testing.T) {
	for _, c := range []struct {
		name string
		opts []kaburaya.Option
		max  int
	}{
		{"given", []kaburaya.Option{kaburaya.Max(7)}, 7},
		{"default", nil, kaburaya.DefaultMax},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				// A gain of 1000 moves the limit by thousands a period.
				s := kaburaya.NewSem(period, 1000, append(c.opts, kaburaya.Sensor(&plant{cpus: 8, law: erratic()}))...)
				defer s.Stop()
				stopLoad := load(s, 9000, period/2)
				defer stopLoad()
				if got := highest(s, 6*period); got != c.max {
					t.Errorf("highest limit %d, want the maximum %d", got, c.max)
				}
			})
		})
	}
}

// TestCeiling: a resource that runs short lowers the limit below the maximum, and
// below the limit in force.
func TestCeiling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &plant{cpus: 8, law: erratic(), ceiling: 20}
		s := kaburaya.NewSem(period, 1, kaburaya.Sensor(p))
		defer s.Stop()
		stopLoad := load(s, 50, unit)
		defer stopLoad()
		if got := highest(s, 100*period); got != 20 {
			t.Errorf("highest limit %d, want the ceiling 20", got)
		}
		p.change(func() { p.ceiling = 3 })
		time.Sleep(period)
		synctest.Wait()
		if got := s.Limit(); got > 3 {
			t.Errorf("limit %d, want at most the new ceiling 3", got)
		}
	})
}

// TestRest: a minute without work changes nothing, whatever CPU the rest of the
// program uses. The published limit falls to 1.
func TestRest(t *testing.T) {
	for name, usage := range map[string]float64{"no usage": 0, "other usage": 3} {
		t.Run(name, func(t *testing.T) { testRest(t, usage) })
	}
}

func testRest(t *testing.T, usage float64) {
	synctest.Test(t, func(t *testing.T) {
		p := &plant{cpus: 8, law: perUnit(1)}
		s := kaburaya.NewSem(period, 0.1, kaburaya.Sensor(p))
		defer s.Stop()
		stopLoad := load(s, 50, unit)
		for s.Limit() < 4 {
			time.Sleep(period)
		}
		stopLoad()
		time.Sleep(period) // the period in which the work ended
		synctest.Wait()
		before := s.Limit()
		p.change(func() { p.law = constant(usage) })
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := s.Limit(); got != before || got < 2 {
			t.Errorf("limit %d after rest, want %d, at least 2", got, before)
		}
	})
}

// TestNoCPU: work that only waits has a usage of 0, which says nothing against a
// higher limit.
func TestNoCPU(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kaburaya.NewSem(period, 0.1, kaburaya.Sensor(&plant{cpus: 8, law: constant(0)}))
		defer s.Stop()
		stopLoad := load(s, 50, unit)
		defer stopLoad()
		for want := 2; want < 50; want++ { // one more each period
			time.Sleep(period)
			synctest.Wait()
			if got := s.Limit(); got != want {
				t.Fatalf("limit %d, want %d", got, want)
			}
		}
	})
}

// TestUsageGoneAndBack: a stretch without CPU usage, in the middle of work, does
// not make the limit collapse.
func TestUsageGoneAndBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &plant{cpus: 8, law: perUnit(1)}
		s := kaburaya.NewSem(period, 0.1, kaburaya.Sensor(p))
		defer s.Stop()
		stopLoad := load(s, 50, unit)
		defer stopLoad()
		for s.Limit() < 4 {
			time.Sleep(period)
		}
		p.change(func() { p.law = constant(0) })
		for range 30 {
			time.Sleep(period)
			synctest.Wait()
			if s.Limit() < 4 {
				t.Fatalf("limit %d while there is no usage, want at least 4", s.Limit())
			}
		}
	})
}

// TestEqualReadings: the usage is exactly the same for a long time, so the law
// tries lower limits down to 1, where the published one stays as long as the usage
// of the single unit is the same. This one finds that more is possible now.
func TestEqualReadings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &plant{cpus: 8, law: constant(1)}
		s := kaburaya.NewSem(period, 0.1, kaburaya.Sensor(p))
		defer s.Stop()
		stopLoad := load(s, 50, unit)
		defer stopLoad()
		time.Sleep(300 * period)
		for s.Limit() > 1 { // between its attempts at more
			time.Sleep(period)
		}
		p.change(func() { p.law = perUnit(1) })
		if got := highest(s, 20*period); got < 3 {
			t.Errorf("the limit came to %d within 2 s, want at least 3", got)
		}
	})
}

// TestNobodyWaits: a limit that holds nobody back is not raised, although the
// usage is below the set point.
func TestNobodyWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kaburaya.NewSem(period, 0.3, kaburaya.Sensor(&plant{cpus: 8, law: erratic()}))
		defer s.Stop()
		stopLoad := load(s, 3, unit)
		defer stopLoad()
		got := highest(s, 300*period)
		if got < 3 {
			t.Errorf("highest limit %d, want at least the 3 that are asked for", got)
		}
		if got > 10 { // one step beyond 3
			t.Errorf("highest limit %d, but only 3 permits are ever asked for", got)
		}
	})
}

// TestNoCPUNobodyWaits: units that use no CPU and fit within the limit leave it as
// it is.
func TestNoCPUNobodyWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &plant{cpus: 8, law: perUnit(1)}
		s := kaburaya.NewSem(period, 0.1, kaburaya.Sensor(p))
		defer s.Stop()
		stopLoad := load(s, 50, unit)
		for s.Limit() < 4 {
			time.Sleep(period)
		}
		stopLoad()
		p.change(func() { p.law = constant(0) })
		time.Sleep(period)
		synctest.Wait()
		before := s.Limit()
		stopLoad = load(s, 2, unit)
		defer stopLoad()
		time.Sleep(20 * period)
		synctest.Wait()
		if got := s.Limit(); got != before {
			t.Errorf("limit %d, want %d as before", got, before)
		}
	})
}
