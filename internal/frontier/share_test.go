package frontier_test

import (
	"slices"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/frontier"
)

// TestSharedPhasesInVainBecomeRare: each puts the next off for twice as long, up to a
// bound, until one pays.
func TestSharedPhasesInVainBecomeRare(t *testing.T) {
	const short, long, unit = frontier.SharedWorth - 1, frontier.SharedWorth, frontier.ChunkTime
	got := frontier.Postponed(short, short, short, long, short)
	if want := []time.Duration{2 * unit, 4 * unit, 8 * unit, 0, 2 * unit}; !slices.Equal(got, want) {
		t.Errorf("put off for %v, want %v", got, want)
	}
	got = frontier.Postponed(make([]time.Duration, 20)...)
	if last := got[len(got)-1]; last != 256*unit {
		t.Errorf("put off for %v in the end, want %v", last, 256*unit)
	}
}

// TestWalkersTakeWhatIsWorthIt: half of the queue where there are two, but no more than some
// work, however many keys there are: taking copies them.
func TestWalkersTakeWhatIsWorthIt(t *testing.T) {
	for _, c := range []struct {
		cost       time.Duration
		keys, want int
	}{
		{0, 100_000, 50_000},
		{10, 1000, 500},
		{10, 1_000_000, 100_000},
		{20 * time.Microsecond, 100_000, 50},
		{frontier.ChunkTime, 100_000, 1},
		{time.Second, 100_000, 1},
	} {
		if got := frontier.Taken(c.cost, c.keys); got != c.want {
			t.Errorf("%d of %d keys taken where a visit costs %v, want %d", got, c.keys, c.cost, c.want)
		}
	}
}
