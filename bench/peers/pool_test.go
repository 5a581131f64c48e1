package main_test

import (
	"sync/atomic"
	"testing"

	peers "github.com/sweetspot-go/sweetspot/bench/peers"
)

func TestPoolsRunEachTaskOnce(t *testing.T) {
	for _, producers := range []int{1, 3, 8} {
		var ran atomic.Int64
		for name, run := range peers.Pools(1000, 2, producers, func() { ran.Add(1) }) {
			ran.Store(0)
			if err := run(); err != nil || ran.Load() != 1000 {
				t.Errorf("%s, %d producers: %d tasks ran, %v; want 1000", name, producers, ran.Load(), err)
			}
		}
	}
}
