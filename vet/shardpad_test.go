package vet_test

import (
	"math/bits"
	"testing"
)

func TestShardPad(t *testing.T) {
	if bits.UintSize == 32 {
		t.Skip("the sizes in testdata are those of 64-bit systems")
	}
	run(t, "shardpad")
}
