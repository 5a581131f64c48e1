package main_test

import (
	"testing"

	peers "github.com/sweetspot-go/sweetspot/bench/peers"
)

func TestRecursionsComputeTheSame(t *testing.T) {
	for _, parts := range []int{1, 2, 5} {
		for name, err := range peers.Recursions(parts) {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if peers.CheckQuicksort() == nil {
		t.Error("numbers that nobody sorted pass for sorted")
	}
}

func TestSharesAreEven(t *testing.T) {
	for parts := 1; parts <= 7; parts++ {
		total := 0
		sizes := peers.Shares(parts, 10_000)
		for _, size := range sizes {
			total += size
			if off := size*parts - 10_000; off > 500 || off < -500 {
				t.Errorf("%d parts: shares of %v", parts, sizes)
			}
		}
		if total != 10_000 || len(sizes) != parts {
			t.Errorf("%d parts: shares of %v, want %d of 10,000 in all", parts, sizes, parts)
		}
	}
	if sizes := peers.Shares(3, 1); len(sizes) != 3 || sizes[0] != 1 {
		t.Errorf("shares of a single thing: %v, want 1 0 0", sizes)
	}
}
