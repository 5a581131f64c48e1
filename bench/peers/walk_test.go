package main_test

import (
	"slices"
	"testing"

	peers "github.com/sweetspot-go/sweetspot/bench/peers"
)

func TestWalkersVisitEachKeyOnce(t *testing.T) {
	for levels := range 5 {
		nodes, walks := peers.Walks(t.Context(), levels)
		for name, keys := range walks {
			slices.Sort(keys)
			if distinct := len(slices.Compact(slices.Clone(keys))); len(keys) != nodes || distinct != nodes {
				t.Errorf("%s, %d levels: %d visits of %d keys, want one of each of %d", name, levels, len(keys), distinct, nodes)
			}
		}
	}
	if nodes, _ := peers.Walks(t.Context(), 0); nodes != 1 {
		t.Errorf("a tree of no levels has %d nodes, want its root", nodes)
	}
}

func TestTheTreeIsThatOfTheArticle(t *testing.T) {
	if n := peers.TreeNodes(peers.Levels); n != 349_525 {
		t.Errorf("%d nodes, want 349,525", n)
	}
}
