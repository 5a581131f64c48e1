package loop_test

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/loop"
	"github.com/sweetspot-go/sweetspot/internal/rerun"
	"github.com/sweetspot-go/sweetspot/limit"
)

// TestClosedLoopOfOtherLaws: the published laws see what they need through the
// Limiter: times in flight, what is in use, what has ended. On a server with 24
// slots each ends where it belongs, from 2.
func TestClosedLoopOfOtherLaws(t *testing.T) {
	for name, c := range map[string]struct{ least, most int }{
		"aimd":         {150, 250}, // nothing says "too much"
		"aimd:2":       {35, 55},   // swings below twice the slots
		"vegas":        {20, 40},
		"gradient2":    {28, 120}, // 1.5 times the slots and on
		"hillclimbing": {15, 35},
	} {
		t.Run(name, func(t *testing.T) {
			rerun.Share(t)
			synctest.Test(t, func(t *testing.T) {
				law, err := control.ByName(name)
				if err != nil {
					t.Fatal(err)
				}
				l := governed(law, loop.Config{Start: 2, Max: 200})
				var done atomic.Int64
				stop := plant{serve: 50 * time.Millisecond, slots: 24, uneven: 0.5}.run(t, l, limit.New(24), &done)
				pause(30 * time.Second)
				got := standing(l, 10*time.Second)
				t.Logf("limit %d", got)
				if got < c.least || got > c.most {
					t.Errorf("limit %d, want %d to %d; %v", got, c.least, c.most, l.Decisions())
				}
				stop()
				rests(t, l)
			})
		})
	}
}

// TestOverloadReachesAIMD: the outcome of a unit is what the published law goes
// by.
func TestOverloadReachesAIMD(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := governed(control.NewAIMD(0.5), loop.Config{Start: 2})
		together(40, func(i int) {
			for range 100 {
				if err := l.Acquire(t.Context()); err != nil {
					t.Error(err)
					return
				}
				began := l.Clock()
				time.Sleep(10 * time.Millisecond)
				if l.Limit() > 22 {
					l.End(began, loop.Overloaded, 1)
				} else {
					l.End(began, loop.Done, 1)
				}
			}
		})
		cuts := 0
		for _, c := range l.Decisions() {
			if c.Reason.Kind == control.Overloaded {
				cuts++
				if c.To != c.From/2 {
					t.Errorf("cut from %d to %d, want half", c.From, c.To)
				}
			}
		}
		if cuts == 0 {
			t.Errorf("no cut: %v", l.Decisions())
		}
		rests(t, l)
	})
}
