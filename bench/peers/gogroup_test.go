package main_test

import (
	"sync/atomic"
	"testing"

	peers "github.com/sweetspot-go/sweetspot/bench/peers"
)

func TestGroupsRunEachFunctionOnce(t *testing.T) {
	var ran atomic.Int64
	for name, run := range peers.Groups(100, 3, func() error { ran.Add(1); return nil }) {
		ran.Store(0)
		if err := run(); err != nil || ran.Load() != 100 {
			t.Errorf("%s: %d functions ran, %v; want 100", name, ran.Load(), err)
		}
	}
}
