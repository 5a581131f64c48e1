package sim_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sweetspot-go/sweetspot/sim"
)

func TestEndingsAreSorted(t *testing.T) {
	var h sim.Endings
	r := rand.New(rand.NewPCG(1, 1))
	var model []float64
	for range 4_000 {
		if r.IntN(5) < 3 {
			k := float64(r.IntN(500)) // with ties
			h.Push(k)
			model = append(model, k)
		} else if len(model) > 0 {
			slices.Sort(model)
			if got := h.Pop(); got != model[0] {
				t.Fatalf("popped %v, want %v", got, model[0])
			}
			model = model[1:]
		}
	}
	slices.Sort(model)
	for _, want := range model {
		if got := h.Pop(); got != want {
			t.Fatalf("popped %v, want %v", got, want)
		}
	}
}
