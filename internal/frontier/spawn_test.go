package frontier_test

import (
	"runtime"
	"testing"

	"github.com/sweetspot-go/sweetspot/internal/frontier"
)

// TestSharable: keys that cost far less than sharing them stay with one worker, unless
// there are many CPUs.
func TestSharable(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for procs, least := range map[int]float64{2: 500, 4: 154, 16: 30} {
		runtime.GOMAXPROCS(procs)
		for cost, want := range map[float64]bool{0: true, least - 1: false, least + 1: true, float64(frontier.ChunkTime): true} {
			if got := frontier.Sharable(cost); got != want {
				t.Errorf("%d CPUs, %v ns: %v", procs, cost, got)
			}
		}
	}
	runtime.GOMAXPROCS(1)
	if frontier.Sharable(1000) {
		t.Error("sharable on one CPU")
	}
	if !frontier.Sharable(float64(frontier.ChunkTime)) {
		t.Error("visits as long as a chunk may wait, so they are sharable on one CPU")
	}
}
