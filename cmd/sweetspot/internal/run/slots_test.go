package run_test

import (
	"math/rand/v2"
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
)

// A slot is the lowest number that nobody has.
func TestSlots(t *testing.T) {
	var s run.Slots
	r := rand.New(rand.NewPCG(3, 4))
	taken := make(map[int]bool)
	for range 5000 {
		if n := r.IntN(300); n < len(taken) { // some 150 are taken most of the time
			for slot := range taken {
				s.Give(slot)
				delete(taken, slot)
				break
			}
			continue
		}
		want := 1
		for taken[want] {
			want++
		}
		if got := s.Take(); got != want {
			t.Fatalf("slot %d, want %d", got, want)
		}
		taken[want] = true
	}
}
