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
