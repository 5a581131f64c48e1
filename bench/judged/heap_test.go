package main

import (
	"math/rand/v2"
	"slices"
	"testing"
)

type number int

func (n number) Before(m number) bool { return n < m }

func TestHeap(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 1))
	var h heap[number]
	var all []number
	for range 1000 {
		if dice.IntN(3) == 0 && len(h) > 0 {
			slices.Sort(all)
			if got := h.pop(); got != all[0] {
				t.Fatalf("%d, want %d", got, all[0])
			}
			all = all[1:]
			continue
		}
		n := number(dice.IntN(50))
		h.push(n)
		all = append(all, n)
	}
	if len(h) != len(all) {
		t.Errorf("%d left, want %d", len(h), len(all))
	}
}
