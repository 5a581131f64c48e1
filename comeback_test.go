package sweetspot_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot"
)

const (
	helpersPark   = "helpers that have nothing to do park"
	nothingBehind = "who leaves leaves nothing behind"
)

// TestWorkersComeBack has a limit go up and down: those who left come back, to what
// they left behind, and hardly more are made than ever worked at the same time. One that has
// given its permit to another, and has yet to leave, cannot come back as that one.
func TestWorkersComeBack(t *testing.T) {
	eachCall(t, exceptions{
		"ForEachSeq": helpersPark, "MapSeq": helpersPark, "MapSeq unordered": helpersPark, "Pool": helpersPark,
		"Walk": nothingBehind, "Walk of roots": nothingBehind, "Join": nothingBehind, "Group": nothingBehind,
	}, inBubble(func(t *testing.T, c call) {
		const most = 4
		l := setTo(sweetspot.New(), most)
		ended := make(chan struct{})
		defer close(ended)
		go func() {
			for n := 1; ; n = most + 1 - n {
				select {
				case <-ended:
					return
				case <-time.After(5 * time.Second):
					l.SetLimit(n)
				}
			}
		}()
		var g gauge
		var crowded atomic.Int64 // items that began while as many worked as ever
		err := c.run(t.Context(), 300, func(ctx context.Context, i int) error {
			g.enter()
			defer g.leave()
			if g.now.Load() == most {
				crowded.Add(1)
			}
			time.Sleep(time.Second)
			if listed, rested := sweetspot.WorkersOf(ctx); listed > most+2 || rested >= most+2 {
				t.Errorf("%d workers are listed and %d rest, but there are %d", listed, rested, most)
			}
			return nil
		}, l)
		if err != nil {
			t.Fatal(err)
		}
		if got, crowded := g.total.Load(), crowded.Load(); got != 300 || crowded < 40 {
			t.Errorf("%d items done, %d of them begun by the last of %d", got, crowded, most)
		}
	}))
}
