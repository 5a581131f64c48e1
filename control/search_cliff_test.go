package control_test

import (
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
)

// Beyond an edge nothing completes any more. Whoever looks there, a step or far above, must
// come back soon, and not go there again and again.
func TestSearchPaysLittleForALookBeyondAnEdge(t *testing.T) {
	for _, each := range []time.Duration{20 * time.Millisecond, 200 * time.Millisecond, time.Second, 5 * time.Second} {
		for _, edge := range []int{150, 300} {
			p := &fluid{cpus: 4, rate: func(n int, at time.Duration) float64 {
				if n > edge {
					return 0
				}
				return server(100, each)(n, at)
			}}
			c := control.NewSearch()
			p.run(c, 4, 120*time.Second)
			from, stays, longest := p.done, time.Duration(0), time.Duration(0)
			p.see = func(r control.Reading, _ control.Decision) {
				if stays += fluidTick; r.Limit <= edge {
					stays = 0
				}
				longest = max(longest, stays)
			}
			p.run(c, 0, 720*time.Second)
			queued := each * time.Duration(edge) / 100 // what a unit takes at the edge
			if share := (p.done - from) / 600 / p.rate(100, 0); share < 0.92 || longest > 6*queued+200*time.Millisecond {
				t.Errorf("units of %v, edge %d: %.3f of the best, and for %v beyond the edge", each, edge, share, longest)
			}
		}
	}
}
