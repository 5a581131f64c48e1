package kaburaya_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot/kaburaya"
)

// TestAsPublished replays what the talk and its code are known to do wrong. Each case
// has a test above with the contrary, without the option.
func TestAsPublished(t *testing.T) {
	for _, c := range []struct {
		name      string
		plant     *plant
		load      int
		after     func(s *kaburaya.Sem, p *plant) int // a limit
		low, high int
	}{
		{"a rest lowers it to 1", &plant{cpus: 8, law: perUnit(1)}, 50, func(s *kaburaya.Sem, p *plant) int {
			for s.Limit() < 4 {
				time.Sleep(period)
			}
			p.change(func() { p.law = constant(0) })
			time.Sleep(20 * period)
			synctest.Wait()
			return s.Limit()
		}, 1, 1},
		{"no CPU, no more than 1", &plant{cpus: 8, law: constant(0)}, 50, func(s *kaburaya.Sem, _ *plant) int { return highest(s, 100*period) }, 1, 1},
		{"it runs away though nobody waits", &plant{cpus: 8, law: erratic()}, 3, func(s *kaburaya.Sem, _ *plant) int { return highest(s, 300*period) }, 100, kaburaya.DefaultMax},
		{"it knows of no shortage", &plant{cpus: 8, law: erratic(), ceiling: 20}, 50, func(s *kaburaya.Sem, _ *plant) int { return highest(s, 300*period) }, 100, kaburaya.DefaultMax},
		{"stuck at 1", &plant{cpus: 8, law: constant(1)}, 50, func(s *kaburaya.Sem, _ *plant) int {
			time.Sleep(300 * period)
			synctest.Wait()
			return highest(s, 100*period)
		}, 1, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := kaburaya.NewSem(period, 0.3, kaburaya.AsPublished(), kaburaya.Sensor(c.plant))
				defer s.Stop()
				stopLoad := load(s, c.load, unit)
				defer stopLoad()
				if got := c.after(s, c.plant); got < c.low || got > c.high {
					t.Errorf("limit %d, want %d to %d", got, c.low, c.high)
				}
			})
		})
	}
}
