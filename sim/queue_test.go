package sim_test

import (
	"math/rand/v2"
	"testing"

	"github.com/sweetspot-go/sweetspot/sim"
)

func TestQueueIsFIFO(t *testing.T) {
	var q sim.Queue
	var model []int32
	r := rand.New(rand.NewPCG(1, 1))
	for i := range int32(10_000) {
		if r.IntN(5) < 3 { // grows, wraps, and grows again
			q.Push(i)
			model = append(model, i)
		} else if len(model) > 0 {
			if got := q.Pop(); got != model[0] {
				t.Fatalf("popped %d, want %d", got, model[0])
			}
			model = model[1:]
		}
		if q.Len() != len(model) {
			t.Fatalf("length %d, want %d", q.Len(), len(model))
		}
	}
}
